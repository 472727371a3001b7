// Package docs shows, in its tests, that the README and the pages of docs are true:
// every command on them is run, page by page and in order, and what it prints is
// compared by shape with what the page says.
package docs
