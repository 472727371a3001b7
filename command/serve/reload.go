package serve

import (
	"context"
	"errors"
	"os"
	"sync"

	"sotto/promise/dp"
	"sotto/service/gateway"
	"sotto/service/httpserve"
	"sotto/service/ledger"
)

// reloader reads what a gateway was made of anew, while it runs.
type reloader struct {
	o            *gatewayOptions
	service      *gateway.Service
	certificates *httpserve.Certificates
	book         *ledger.Divided
	secret       gateway.Secret

	mu    sync.Mutex // guards the rest
	now   *engine
	ended bool
}

// reloadOn reads everything anew on each signal.
func (r *reloader) reloadOn(ctx context.Context, signals <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
		}
		r.reload(ctx)
	}
}

// reload reads everything anew. Each part stands for itself: one that is refused
// stays as it was, and does not keep a key from being revoked.
func (r *reloader) reload(ctx context.Context) {
	if r.o.keys != "" {
		r.tell(gateway.PartKeys, r.reloadKeys())
	}
	if r.certificates != nil {
		err := r.o.guardCertificates()
		if err == nil {
			err = r.certificates.Reload()
		}
		r.tell(gateway.PartCertificates, err)
	}
	r.tell(gateway.PartModel, r.reloadModel(ctx))
}

// tell counts and logs how a part was taken.
func (r *reloader) tell(p gateway.Part, err error) {
	r.service.Reloaded(p, err)
	if err != nil {
		r.o.Log.Error("reload refused; the old one is still in use", "part", string(p), "error", err.Error())
		return
	}
	r.o.Log.Info("reloaded", "part", string(p))
}

func (r *reloader) reloadKeys() error {
	set, err := r.o.loadKeys()
	if err != nil {
		return err
	}
	_, err = r.service.Replace(gateway.Replacement{Keys: set})
	return err
}

// reloadModel takes masks, encoder and model anew. A model that would need another
// budget is refused: to set one is a matter of a start.
func (r *reloader) reloadModel(ctx context.Context) error {
	next, err := r.o.assemble(ctx, func(each dp.Guarantee) (gateway.Ledger, gateway.Secret, error) {
		budget, err := r.o.terms(each)
		if now := r.book.Budget(); err == nil && (budget.Unit != now.Unit || budget.Each != now.Each) {
			err = errors.New("the new model's releases are counted in another way than the ledger's: start the gateway anew")
		}
		return r.book, r.secret, err
	})
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return errors.Join(errors.New("the gateway is about to end"), next.close())
	}
	idle, err := r.service.Replace(gateway.Replacement{Gateway: next.gateway, Classifier: next.classifier})
	if err != nil {
		return errors.Join(err, next.close())
	}
	if was, is := r.now.gateway.Identity(), next.gateway.Identity(); was != is {
		r.o.Log.Warn("releases are others from now on, and texts are paid for anew", "identity", is, "before", was)
	}
	r.o.Log.Info("programs and addresses in use", next.outside(r.o)...)
	old := r.now
	r.now = next
	go func() { // when the last request that uses it has ended
		<-idle
		if err := old.close(); err != nil {
			r.o.Log.Error("the old encoder did not end in order", "error", err.Error())
		}
	}()
	return nil
}

// end closes the encoder; that of a reload which is not done yet is closed by it.
func (r *reloader) end() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	return r.now.close()
}
