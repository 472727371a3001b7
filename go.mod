module sotto

go 1.26
