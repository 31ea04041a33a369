# eddy in an image that holds nothing else: the binary, certificates for outgoing requests, and an empty /tmp.
#
#   docker build -t eddy .
#   docker run --rm -p 127.0.0.1:8787:8787 -v "$PWD:/project" eddy
#
# Custom builds (build.command) need a shell and cannot run in it.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o /out/eddy ./cmd/eddy && mkdir -m 1777 /out/tmp

FROM scratch
COPY --from=build /out /
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
WORKDIR /project
EXPOSE 8787
ENTRYPOINT ["/eddy"]
CMD ["dev", "--ip", "0.0.0.0"]
