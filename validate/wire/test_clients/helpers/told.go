// SPDX-License-Identifier: Apache-2.0

// Says what its operations are given: keys, number, weight. Those of "plain" know no weight.
package main

import (
	"fmt"
	"strings"
)

func main() {
	Serve(func(keys string) Operations {
		if keys == "plain" {
			granted := func() error { return nil }
			return Operations{"acquire": granted, "release": granted}
		}
		told := strings.ReplaceAll(keys, ",", "+")
		return Operations{
			"acquire": func() error { return fmt.Errorf("%s %d %d", told, Number, Weight()) },
			"release": func() error { return fmt.Errorf("%s %d", told, Weight()) },
			"look":    func() error { return fmt.Errorf("%s", told) },
			"watch": func() error {
				Lost(keys)
				return fmt.Errorf("%s", told)
			},
		}
	})
}
