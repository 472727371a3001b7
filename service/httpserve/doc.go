// Package httpserve is the floor on which the HTTP services stand. It listens
// with time-outs, drains at the end, reads the files of TLS, bounds what
// requests may take, counts them, and makes answers and lines of the log of
// errors and panics; neither holds anything of a request.
//
// What is answered, and in which form, is up to each service.
package httpserve
