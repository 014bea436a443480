// Command peer is what somebody would write by hand with the SDK instead of a
// tools file: one tool, one GET. It serves stdin and stdout, or HTTP at $ADDRESS.
// The benchmarks measure tbridge against it.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

type input struct {
	ID string `json:"id" jsonschema:"Id of the item"`
}

func main() {
	base := os.Getenv("UPSTREAM")
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	client := &http.Client{Transport: transport}

	server := mcp.NewServer(&mcp.Implementation{Name: "peer", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "item", Description: "Read an item."},
		func(ctx context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
			body, err := get(ctx, client, base+"/items/"+url.PathEscape(in.ID))
			if err != nil {
				return nil, nil, err
			}
			return &mcp.CallToolResult{
				Content:           []mcp.Content{&mcp.TextContent{Text: string(body)}},
				StructuredContent: json.RawMessage(body),
			}, nil, nil
		})
	if address := os.Getenv("ADDRESS"); address != "" {
		log.Fatal(http.ListenAndServe(address, handler(server)))
	}
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Print(err)
	}
}

// handler serves both eras of MCP, and tells what it allocated.
func handler(server *mcp.Server) http.Handler {
	get := func(*http.Request) *mcp.Server { return server }
	bySession := mcp.NewStreamableHTTPHandler(get, nil)
	perRequest := mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true})
	metrics := promhttp.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/metrics" {
			metrics.ServeHTTP(w, r)
			return
		}
		if r.Header.Get("Mcp-Protocol-Version") >= "2026-07-28" {
			perRequest.ServeHTTP(w, r)
			return
		}
		bySession.ServeHTTP(w, r)
	})
}

func get(ctx context.Context, client *http.Client, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the API answered %s", resp.Status)
	}
	return io.ReadAll(resp.Body)
}
