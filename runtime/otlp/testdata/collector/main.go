// Command collector is an OpenTelemetry collector of the project's own parts: its receiver for OTLP and its service,
// with an exporter that prints what arrives as lines of OTLP's JSON. It takes the address to listen on. It is a module
// of its own, so that who uses eddy as a module does not get the collector's dependencies.
package main

import (
	"context"
	"fmt"
	"os"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
)

// settings are the collector's, with the address for %s. It measures nothing of itself.
const settings = `yaml:
receivers: { otlp: { protocols: { http: { endpoint: "%s" } } } }
exporters: { lines: {} }
service:
  telemetry: { metrics: { level: none } }
  pipelines: { traces: { receivers: [otlp], exporters: [lines] } }
`

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run serves until SIGTERM.
func run(address string) error {
	c, err := otelcol.NewCollector(otelcol.CollectorSettings{
		Factories: factories,
		BuildInfo: component.NewDefaultBuildInfo(),
		ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: confmap.ResolverSettings{
			URIs:              []string{fmt.Sprintf(settings, address)},
			ProviderFactories: []confmap.ProviderFactory{yamlprovider.NewFactory()}}},
	})
	if err != nil {
		return err
	}
	return c.Run(context.Background())
}

func factories() (f otelcol.Factories, err error) {
	f.Telemetry = otelconftelemetry.NewFactory()
	if f.Receivers, err = otelcol.MakeFactoryMap(otlpreceiver.NewFactory()); err != nil {
		return f, err
	}
	f.Exporters, err = otelcol.MakeFactoryMap(exporter.NewFactory(component.MustNewType("lines"),
		func() component.Config { return &struct{}{} }, exporter.WithTraces(newLines, component.StabilityLevelStable)))
	return f, err
}

// lines is the exporter. The collector calls it from one goroutine for each request, so a line is one write.
type lines struct {
	component.StartFunc
	component.ShutdownFunc
	consumer.Traces
}

func newLines(context.Context, exporter.Settings, component.Config) (exporter.Traces, error) {
	c, err := consumer.NewTraces(func(_ context.Context, t ptrace.Traces) error {
		line, err := (&ptrace.JSONMarshaler{}).MarshalTraces(t)
		if err == nil {
			_, err = os.Stdout.Write(append(line, '\n'))
		}
		return err
	})
	return lines{Traces: c}, err
}
