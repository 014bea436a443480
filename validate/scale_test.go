package validate

import (
	"fmt"
	"strings"
	"testing"
)

// many writes a bridge directory of n ordinary tools, a hundred a file.
func many(tb testing.TB, n int) string {
	const tool = `  - name: tool_%[1]d
    title: Tool %[1]d
    description: Take the free task %[1]d and assign it to somebody who has time.
    method: %[2]s
    path: /tasks/{task_id}/take
    arguments:
      - {name: task_id, type: string, required: true, description: Id or key of the task}
      - {name: status, type: string, enum: [open, done, blocked], description: Only those}
      - {name: limit, type: integer, minimum: 1, maximum: 100, default: 20, description: How many}
      - {name: note, type: string, maxLength: 200, description: What to say}
    response: {projection: {id: id, key: key, status: status}, text: "Task {key} is {status}"}
    tests:
      - {name: it asks, arguments: {task_id: TE-1}, request: {method: %[2]s}}
`
	files := map[string]string{}
	for first := 0; first < n; first += 100 {
		var b strings.Builder
		b.WriteString("api: a\ntags: [generated]\ntools:\n")
		for i := first; i < min(n, first+100); i++ {
			fmt.Fprintf(&b, tool, i, [...]string{"GET", "POST"}[i%2])
		}
		files[fmt.Sprintf("tools.d/%05d.yaml", first)] = b.String()
	}
	return write(tb, files)
}

// BenchmarkLoad is the work of tbridge validate on so many tools: 1,000 are to take less than 300 ms of one
// core, 10,000 less than 3 s.
func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			path := many(b, n)
			b.ReportAllocs()
			for b.Loop() {
				c, ds, err := Load(path)
				if err != nil || len(c.Tools) != n || ds.Count(0) > 0 {
					b.Fatal(err, len(c.Tools), ds)
				}
			}
		})
	}
}
