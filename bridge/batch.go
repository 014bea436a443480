package bridge

import (
	"sync"

	"github.com/tidwall/gjson"
)

// maxBatch bounds the messages of a batch: each is worth an answer, which may be much longer.
const maxBatch = 1000

// hasBatches says whether sessions of a revision have batches.
func hasBatches(revision string) bool { return revision == "2024-11-05" || revision == "2025-03-26" }

// A batch is an array of messages, answered by one array of the answers (JSON-RPC 2.0, section 6).
type batch struct {
	mu      sync.Mutex
	open    int // messages that may still get an answer
	answers []byte
}

// add takes the answer to one message, nil for none. With the last it gives the array, if anything is in it.
func (b *batch) add(answer []byte) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if answer != nil {
		separator := byte(',')
		if b.answers == nil {
			separator = '['
		}
		b.answers = append(append(b.answers, separator), answer...)
	}
	b.open--
	if b.open > 0 || b.answers == nil {
		return nil
	}
	return append(b.answers, ']')
}

// acceptBatch reads a line that is an array.
func (s *stdio) acceptBatch(line gjson.Result) {
	if !s.batches {
		s.refuse(invalidRequest("a message is one JSON object; only sessions of 2024-11-05 and 2025-03-26 have batches"), nil)
		return
	}
	var all []gjson.Result
	line.ForEach(func(_, m gjson.Result) bool {
		all = append(all, m)
		return len(all) <= maxBatch
	})
	if len(all) == 0 || len(all) > maxBatch {
		s.refuse(invalidRequest("a batch holds 1 to %d messages", maxBatch), nil)
		return
	}
	b := &batch{open: len(all)}
	for _, m := range all {
		s.acceptMessage(m, b)
	}
}
