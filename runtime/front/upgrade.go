package front

import (
	"net/http"

	"eddy/runtime/webapi/websocket"
	"eddy/runtime/worker"
)

// upgrade hands the connection to the WebSocket that the handler answered with.
func (f Front) upgrade(w http.ResponseWriter, r *http.Request, res *worker.Response) int {
	if res.WebSocket == nil {
		http.Error(w, "The Worker answered 101 without a WebSocket.", http.StatusInternalServerError)
		return http.StatusInternalServerError
	}
	header := res.Header.Clone()
	conn, err := websocket.Accept(w, r, header, res.Isolate.Flags.Enabled("web_socket_compression"))
	if err != nil {
		res.WebSocket.Lose(err)
		res.Release()
		return http.StatusBadRequest
	}
	f.requestLine(r, http.StatusSwitchingProtocols, 0)
	websocket.Couple(res.WebSocket, conn, res.Release)
	return 0
}
