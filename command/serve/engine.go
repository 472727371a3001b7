package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/data/dataset"
	"sotto/learn/model"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/service/client"
	"sotto/service/gateway"
	"sotto/service/ledger"
	"sotto/text/encode"
	"sotto/text/encode/catalogue"
	"sotto/text/encode/cells"
)

// engine is what a gateway answers with, and a reload replaces.
type engine struct {
	gateway    *gateway.Gateway
	classifier gateway.Classifier // nil without a server
	close      func() error       // the encoder
}

// outside names every program and address that the gateway gives anything to, without
// what lets one in: the encoder, which sees texts, a server, which sees releases, and
// a database, which sees who paid.
func (e *engine) outside(o *gatewayOptions) []any {
	database := ""
	if u, err := url.Parse(o.ledger); err == nil && ledger.InDatabase(o.ledger) {
		database = u.Host
	}
	return []any{"encoder", catalogue.Told(e.gateway.Encoder.Name()), "server", o.server, "database", database}
}

// assemble opens masks, encoder and mechanism, and makes a gateway of them and of
// the ledger and secret that open gives for the guarantee of its releases.
func (o *gatewayOptions) assemble(ctx context.Context, open func(dp.Guarantee) (gateway.Ledger, gateway.Secret, error)) (_ *engine, err error) {
	maskers, err := o.words.Maskers(ctx)
	if err != nil {
		return nil, err
	}
	source, m, labels, err := o.means(ctx)
	if err != nil {
		return nil, err
	}
	e := &engine{close: term.CloserOf(source)}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.close())
		}
	}()
	if e.classifier, err = o.classifier(labels); err != nil {
		return nil, err
	}
	book, secret, err := open(m.Guarantee())
	if err != nil {
		return nil, err
	}
	e.gateway, err = gateway.New(ctx, gateway.Config{
		Encoder: source, Mechanism: m, Ledger: book, Secret: secret, Maskers: maskers, Noise: gateway.Noise(o.noise), Words: o.CellWords(), MaxTexts: o.maxTexts, MaxBytes: o.maxBytes,
	})
	return e, err
}

// means opens the encoder and makes the mechanism, both those of a model if
// there is one, which also has labels.
func (o *gatewayOptions) means(ctx context.Context) (encode.Source, gateway.Mechanism, []model.LabelRecord, error) {
	if o.model != "" {
		return o.trained(ctx)
	}
	o.Encoder, o.Epsilon = o.encoder, cmp.Or(o.Epsilon, 8)
	p, err := o.Resolve(o.mechanism)
	if err != nil {
		return nil, nil, nil, err
	}
	// A file of settings may name any encoder that is computed here, and no other.
	e, err := catalogue.OpenNamed(ctx, catalogue.Name(o.encoder), catalogue.Anywhere("a file of settings or the environment", dataset.Dir()))
	if err != nil {
		return nil, nil, nil, err
	}
	m, err := mech.New(p.Fit(e.Dim()))
	if err != nil {
		return nil, nil, nil, errors.Join(err, term.CloserOf(e)())
	}
	return e, m, nil, nil
}

// settle names the mechanism if nobody did: cells, which tell most of questions that
// nobody has asked yet, where there are some for the encoder, and else the codebook,
// which is also meant by flags that are the codebook's own.
func (o *gatewayOptions) settle(fs *pflag.FlagSet) {
	if o.mechanism != "" {
		return
	}
	o.mechanism = "codebook"
	if (slices.Contains(cells.ShippedEncoders(), o.encoder) || fs.Changed("cells")) && !fs.Changed("codewords") && !fs.Changed("selected") && !fs.Changed("seed") {
		o.mechanism = "cells"
	}
}

// trained loads the model of --model, and opens the encoder that it was trained on; by
// copies of what was verified where it must be signed. They go when all is in memory.
func (o *gatewayOptions) trained(ctx context.Context) (encode.Source, gateway.Mechanism, []model.LabelRecord, error) {
	if err := o.guardModel(); err != nil {
		return nil, nil, nil, err
	}
	if o.key == nil {
		return o.load(ctx, o.model)
	}
	folder, err := model.OpenSigned(*o.key, o.model, false)
	if err != nil {
		return nil, nil, nil, err
	}
	defer folder.Close() //nolint:errcheck // what is left is in a temporary folder
	e, m, labels, err := o.load(catalogue.Only(ctx, folder.Copies()), folder.Dir)
	return e, m, labels, folder.Name(err)
}

// load loads a model, and opens its encoder.
func (o *gatewayOptions) load(ctx context.Context, dir string) (encode.Source, gateway.Mechanism, []model.LabelRecord, error) {
	opened, err := model.Open(ctx, dir)
	if err != nil {
		return nil, nil, nil, err
	}
	m, err := gateway.FromModel(opened.Model, opened.Manifest)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("%s: %w", dir, err)
	}
	e, err := opened.Source(ctx)
	return e, m, opened.Labels, err
}

// classifier makes the client of --server, which believes it no other classes
// than those of the model; nil without a server.
func (o *gatewayOptions) classifier(known []model.LabelRecord) (gateway.Classifier, error) {
	switch o.serverClass {
	case "", "first":
	case "model":
		if o.model == "" {
			return nil, errors.New("--server-classes is model, must have a --model")
		}
	default:
		return nil, fmt.Errorf("--server-classes is %q, must be one of model, first", o.serverClass)
	}
	if o.server == "" {
		return nil, nil //nolint:nilnil // there is none to ask
	}
	s, err := client.NewServer(o.server, o.serverModel, client.Options{})
	if err != nil {
		return nil, err
	}
	if o.model == "" || o.serverClass == "first" {
		return s, nil
	}
	labels := make([]client.Label, len(known))
	for i, l := range known {
		labels[i] = client.Label{Name: l.Name, Classes: l.Classes}
	}
	return s, s.Expect(labels)
}
