//go:build ignore

// A container for tests: an HTTP server which tells what it was started with. As /bin/sh it runs what it is told to.
package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	if strings.HasSuffix(os.Args[0], "sh") {
		shell()
		return
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGTERM)
	go func() {
		for s := range signals {
			if s == syscall.SIGTERM {
				os.Exit(7)
			}
			os.Exit(0)
		}
	}()
	go echo()
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Host", r.Host)
		fmt.Fprintf(w, "%s %s env=%s args=%v body=%s", r.Method, r.URL, os.Getenv("GREETING"), os.Args[1:], b)
	})
	fmt.Println(http.ListenAndServe(":8080", nil))
}

func echo() {
	l, err := net.Listen("tcp", ":9000")
	if err != nil {
		panic(err)
	}
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() { io.Copy(c, c); c.Close() }()
	}
}

func shell() {
	script := os.Args[2]
	if pid, ok := strings.CutPrefix(script, "kill -"); ok {
		n, file, _ := strings.Cut(pid, " ")
		b, err := os.ReadFile(strings.TrimSuffix(strings.TrimPrefix(file, `"$(cat `), `)"`))
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		number, _ := strconv.Atoi(n)
		target, _ := strconv.Atoi(strings.TrimSpace(string(b)))
		syscall.Kill(target, syscall.Signal(number))
		return
	}
	file, ok := strings.CutPrefix(script, "echo $$ > ")
	if ok {
		file, _, _ = strings.Cut(file, ";")
		os.MkdirAll("/tmp", 0o777)
		os.WriteFile(file, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o666)
		args := os.Args[4:]
		switch args[0] {
		case "upper":
			s := bufio.NewScanner(os.Stdin)
			for s.Scan() {
				fmt.Println(strings.ToUpper(s.Text()))
				fmt.Fprintln(os.Stderr, "line")
			}
			os.Exit(3)
		case "sleep":
			fmt.Println("asleep")
			time.Sleep(time.Hour)
			select {}
		}
		path, err := exec.LookPath(args[0])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(127)
		}
		syscall.Exec(path, args, os.Environ())
	}
}
