// Package websocket is the platform's WebSocket: WebSocketPair, sockets that are returned in responses, sockets that
// come out of fetch() or the constructor, and the protocol (RFC 6455 with permessage-deflate, RFC 7692) behind them.
//
// # Nouns
//
//   - A [Message] is a text, a binary message, a close, or the news that the connection is lost.
//   - An [End] is one end of a pipe of messages. What is sent into one end comes out of the other. Ends outlive the
//     JavaScript objects in front of them: they carry what survives hibernation.
//   - A socket is the state of a JavaScript WebSocket, in front of one End.
//   - A [Conn] is a network connection that speaks the protocol. [Couple] joins an End to it.
//
// # Life of a socket
//
// A socket waits until it is accepted (by accept(), or for hibernation by [AcceptHibernatable]) or taken away by being
// returned in a response ([Detach]). An accepted one delivers messages, each in a turn of its own, in the scope that
// accepted it. A close that comes in is answered only if the socket is not half-open. A socket whose scope ends, or
// whose listener throws, is lost for its peer.
//
// # Threads
//
// End's methods Send, Notify, Take, Lose may be called from any goroutine; its exported fields belong to the loop of
// the isolate that holds it. A Conn is read by one goroutine at a time; any goroutine may send. All else belongs to the
// loop.
package websocket
