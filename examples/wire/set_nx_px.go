// SPDX-License-Identifier: Apache-2.0

// SET NX PX on Redis with Go's standard library alone; --release-anybody: the release asks nobody.
//
//	go build -o /tmp/set_nx_px examples/wire/set_nx_px.go examples/wire/lockkeeper_wire.go
package main

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"strings"
)

const compareAndDelete = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"

type client struct {
	connection net.Conn
	replies    *bufio.Reader
}

// One command and its reply: a status, a number, or nil.
func (c *client) ask(words ...string) (string, error) {
	if c.connection == nil {
		connection, err := net.Dial("tcp", os.Getenv("LOCKKEEPER_ADDRESS"))
		if err != nil {
			return "", err
		}
		c.connection, c.replies = connection, bufio.NewReader(connection)
	}
	text := fmt.Sprintf("*%d\r\n", len(words))
	for _, word := range words {
		text += fmt.Sprintf("$%d\r\n%s\r\n", len(word), word)
	}
	_, err := c.connection.Write([]byte(text))
	line := ""
	if err == nil {
		line, err = c.replies.ReadString('\n')
	}
	if err != nil {
		c.connection.Close()
		c.connection = nil
		return "", fmt.Errorf("the connection is lost")
	}
	line = strings.TrimRight(line, "\r\n")
	if strings.HasPrefix(line, "-") {
		return "", fmt.Errorf("%s", line)
	}
	return line, nil
}

func setup(key string) Operations {
	token := make([]byte, 16)
	rand.Read(token)
	own := hex.EncodeToString(token)
	redis := &client{}
	expect := func(expected string, words ...string) error {
		reply, err := redis.ask(words...)
		if err == nil && reply != expected {
			return ErrRefused
		}
		return err
	}
	release := func() error { return expect(":1", "EVAL", compareAndDelete, "1", key, own) }
	if len(os.Args) > 1 && os.Args[1] == "--release-anybody" {
		release = func() error { _, err := redis.ask("DEL", key); return err }
	}
	if len(os.Args) > 1 && os.Args[1] == "--get-and-set" {
		return Operations{"release": release, "acquire": func() error {
			if err := expect("$-1", "GET", key); err != nil {
				return err
			}
			return expect("+OK", "SET", key, own, "PX", "10000")
		}}
	}
	return Operations{"release": release, "acquire": func() error {
		return expect("+OK", "SET", key, own, "NX", "PX", "10000")
	}}
}

func main() { Serve(setup) }
