package encode

import (
	"context"
	"encoding/json"
)

// embeddingsRequest and embeddingsAnswer are the parts of the protocol in use.
type embeddingsRequest struct {
	Model string   `json:"model"`
	Input []string `json:"input"`
}

type embeddingsAnswer struct {
	Data []struct {
		Index     *int      `json:"index"`
		Embedding []float64 `json:"embedding"`
	} `json:"data"`
}

// ask returns the vectors of texts, unchecked but for their number and order.
func (e *Endpoint) ask(ctx context.Context, texts []string) ([][]float64, error) {
	body, err := json.Marshal(embeddingsRequest{e.config.Model, texts})
	if err != nil {
		return nil, e.to.Errorf("the request cannot be written")
	}
	limit := int64(maxAnswer)
	if e.dim > 0 { // a number has at most 24 characters; the rest is for white space and the names around
		limit = min(limit, 1<<16+int64(len(texts))*(1<<12+64*int64(e.dim)))
	}
	answer, err := e.to.Post(ctx, body, limit)
	if err != nil {
		return nil, err
	}
	return e.parse(answer, len(texts))
}

// parse reads an answer to so many texts.
func (e *Endpoint) parse(answer []byte, texts int) ([][]float64, error) {
	var a embeddingsAnswer
	if json.Unmarshal(answer, &a) != nil { // what it says may quote the answer
		return nil, e.to.Errorf(`its answer is not JSON like {"data":[{"index":0,"embedding":[1,2]}]} with finite numbers, must be`)
	}
	if len(a.Data) != texts {
		return nil, e.to.Errorf("its answer holds %d vectors, must hold %d", len(a.Data), texts)
	}
	rows := make([][]float64, texts)
	for i, d := range a.Data {
		if d.Index == nil || *d.Index != i {
			return nil, e.to.Errorf("vector %d of its answer has another index or none, must have %d", i+1, i)
		}
		rows[i] = d.Embedding
	}
	return rows, nil
}
