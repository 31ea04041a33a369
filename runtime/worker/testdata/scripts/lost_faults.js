export default { async fetch(r) {
	switch (new URL(r.url).pathname) {
	case "/caught": try { faulty() } catch (e) { return new Response(e.message) }
	case "/thrown": await null; faulty();
	case "/hard": await null; unguarded();
	case "/hard-now": unguarded();
	}
	return new Response("alive");
} }
