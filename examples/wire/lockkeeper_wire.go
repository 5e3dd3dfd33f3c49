// SPDX-License-Identifier: Apache-2.0

// Puts a lock's own Go client under `lockkeeper validate --wire`: what a driver says
// (docs/reference/wire.md). Go asks the kernel itself for time, random numbers and connections, so
// that it runs on real time, connects to LOCKKEEPER_ADDRESS, and draws its random numbers here.
package main

import (
	"bufio"
	crypto "crypto/rand"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"
)

// ErrRefused of an acquire: somebody else holds it; of a release: it is lost.
var ErrRefused = errors.New("refused")

// ErrDone of a release: it does not say whether it was in time.
var ErrDone = errors.New("done")

// Granted of an acquire or a renewal, returned as an error: until when, by the wall clock, or for how
// many seconds, and with which token; what is zero is not said.
type Granted struct {
	Until float64
	For   float64
	Token int64
}

func (granted Granted) Error() string {
	out := "ok"
	if granted.Until != 0 {
		out += fmt.Sprintf(" until=%.6f", granted.Until)
	}
	if granted.For != 0 {
		out += fmt.Sprintf(" for=%.6f", granted.For)
	}
	if granted.Token != 0 {
		out += fmt.Sprintf(" token=%d", granted.Token)
	}
	return out
}

// Lost tells, at any time, that a watchdog has seen that the lock of this key is lost.
// For a lock of several keys, "a,b", that is said of the first one, and is true of all.
func Lost(key string) {
	first, _, _ := strings.Cut(key, ",")
	fmt.Println("! lost " + first)
}

// Number of the operation under way, as the script has it, or 0.
var Number int64

var weight int64
var weightIsRead bool

// Weight of the operation under way (3 of 10 permits); 1 where the script says none. An acquire that is
// granted a weight above 1 without having asked for it here is answered "unsupported".
func Weight() int64 {
	weightIsRead = true
	return weight
}

// Operations of one lock, by name.
type Operations map[string]func() error

// The same numbers in every run, others for each caller and each start of it.
func repeatRandomNumbers() {
	caller, _ := strconv.ParseInt(os.Getenv("LOCKKEEPER_CALLER"), 10, 64)
	incarnation, _ := strconv.ParseInt(os.Getenv("LOCKKEEPER_INCARNATION"), 10, 64)
	crypto.Reader = rand.New(rand.NewSource(1 + caller*1000 + incarnation))
}

func answer(word string, operation func() error) string {
	if operation == nil {
		return "unsupported"
	}
	err := operation()
	var granted Granted
	isGranted := err == nil || errors.As(err, &granted)
	switch {
	case isGranted && word == "acquire" && weight > 1 && !weightIsRead:
		return "unsupported"
	case errors.As(err, &granted):
		return granted.Error()
	case errors.Is(err, ErrDone):
		return "done"
	case err == nil:
		return "ok"
	case errors.Is(err, ErrRefused) && word == "acquire":
		return "refused"
	case errors.Is(err, ErrRefused):
		return "lost"
	}
	return "error " + strings.ReplaceAll(err.Error(), "\n", " ")
}

// Reads what stands behind the key: "5", the script's number, "with=b,c", other keys, and "weight=3".
// The keys of the call, with commas between them.
func readMore(key string, more []string) string {
	Number, weight, weightIsRead = 0, 1, false
	for _, part := range more {
		name, value, isNamed := strings.Cut(part, "=")
		switch {
		case !isNamed:
			Number, _ = strconv.ParseInt(part, 10, 64)
		case name == "with":
			key += "," + value
		case name == "weight":
			weight, _ = strconv.ParseInt(value, 10, 64)
		}
	}
	return key
}

// Serve answers the harness; setup makes a fresh client for a key, or for several, "a,b", which one call
// asks for at once. prepare, if there is one, is called once, on an empty server: what it makes is there
// whenever a run begins.
func Serve(setup func(key string) Operations, prepare ...func() error) {
	locks := map[string]Operations{}
	repeatRandomNumbers()
	if len(prepare) > 0 {
		fmt.Println("ready reset prepare")
	} else {
		fmt.Println("ready reset")
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if words[0] == "reset" {
			locks = map[string]Operations{}
			repeatRandomNumbers()
			fmt.Println("ready")
			continue
		}
		if words[0] == "prepare" && len(prepare) > 0 {
			fmt.Println(answer(words[0], prepare[0]))
			continue
		}
		if len(words) < 2 {
			fmt.Println("unsupported")
			continue
		}
		key := readMore(words[1], words[2:])
		if locks[key] == nil {
			locks[key] = setup(key)
		}
		fmt.Println(answer(words[0], locks[key][words[0]]))
	}
}
