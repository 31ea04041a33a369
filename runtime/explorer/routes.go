package explorer

import "slices"

// allPages and allActs list what there is, for the routes and for the OpenAPI document.
func (x *Server) allPages() []page {
	return slices.Concat(x.overviewPages(), x.queuePages(), x.messagePages(), x.deadLetterPages(), x.objectPages(),
		x.lanePages(), x.eventPages(), x.timePages(), x.storePages(), x.workflowPages(), x.mailPages(),
		x.capturePages())
}

func (x *Server) allActs() []act {
	return slices.Concat(x.queueActs(), x.deadLetterActs(), x.objectActs(), x.laneActs(), x.timeActs(), x.storeActs(),
		x.workflowActs(), x.captureActs())
}
