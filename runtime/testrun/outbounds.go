package testrun

import (
	"net/http"

	servicebinding "eddy/runtime/bindings/service"
)

// outbounds sends outgoing requests to a service (TEST-53).
type outbounds struct{ way servicebinding.DistantWorker }

// RoundTrip implements [http.RoundTripper].
func (o outbounds) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := o.way(req, servicebinding.DistantOptions{})
	if err != nil {
		return nil, err
	}
	return &http.Response{
		Status: res.StatusText, StatusCode: res.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: res.Header, Body: res.Body, ContentLength: res.Length, Request: req,
	}, nil
}
