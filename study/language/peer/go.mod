module sotto/language/peer

go 1.26.0

require github.com/jdkato/prose/v3 v3.2.1

require gopkg.in/neurosnap/sentences.v1 v1.0.6 // indirect
