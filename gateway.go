package sotto

import (
	"context"

	"sotto/service/client"
)

// Gateway asks a sotto gateway, which holds the encoder, the model and a budget for each
// user. [Dial] makes one. It is safe for concurrent use. Package service/client also tells
// what is left of a budget.
type Gateway struct{ client *client.Client }

// Dial returns a client of the gateway at an address such as http://127.0.0.1:8787, which
// it does not ask yet. Texts are sent there: it must be an address that is trusted.
func Dial(address string, o client.Options) (*Gateway, error) {
	c, err := client.New(address, o)
	if err != nil {
		return nil, err
	}
	return &Gateway{c}, nil
}

// Release has the gateway release texts of a user, "" for the API key's own. What the
// user's budget does not allow is a [client.OverBudget]; nothing is released then. The
// guarantee is what the gateway says it is.
func (g *Gateway) Release(ctx context.Context, user string, texts ...string) ([]Release, error) {
	e, err := g.client.Embed(ctx, client.Request{Texts: texts, User: user})
	if err != nil {
		return nil, err
	}
	all := make([]Release, len(e.Vectors))
	for i, v := range e.Vectors {
		all[i] = Release{Vector: make([]float64, len(v)), Guarantee: e.Privacy.Guarantee(), Scope: e.Privacy.Scope, Against: e.Privacy.Against}
		for j, x := range v {
			all[i].Vector[j] = float64(x)
		}
	}
	return all, nil
}
