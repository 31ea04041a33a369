package queue

// FormatTopic is the full name of a topic: "<app>.<namespace>.<topic>".
func FormatTopic(app, namespace, topic string) string { return app + "." + namespace + "." + topic }

// DeadLetterTopic is the name of a topic's dead letter topic when the subscription names none. formattedTopic is a full
// name, see [FormatTopic]. A dead letter topic is a topic like any other: subscribe to "<topic>.dead" to inspect, alert
// on or reprocess failed jobs.
func DeadLetterTopic(formattedTopic string) string { return formattedTopic + ".dead" }
