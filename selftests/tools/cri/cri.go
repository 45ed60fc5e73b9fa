// SPDX-License-Identifier: GPL-2.0-only

// Calls one method of a container runtime's CRI, as the kubelet does.
// Usage: cri SOCKET METHOD [REQUEST]   REQUEST is JSON, the default {}; prints the answer as JSON
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	runtime "k8s.io/cri-api/pkg/apis/runtime/v1"
)

const longest = 2 * time.Minute // the kubelet's own limit for a call

func call(socket, name, request string) (any, error) {
	conn, err := grpc.NewClient("unix://"+socket,
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	method := reflect.ValueOf(runtime.NewRuntimeServiceClient(conn)).MethodByName(name)
	if !method.IsValid() {
		return nil, fmt.Errorf("the CRI has no method %q", name)
	}
	ask := reflect.New(method.Type().In(1).Elem())
	if err := json.Unmarshal([]byte(request), ask.Interface()); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	got := method.Call([]reflect.Value{reflect.ValueOf(ctx), ask})
	err, _ = got[1].Interface().(error)
	return got[0].Interface(), err
}

func main() {
	if len(os.Args) < 3 || len(os.Args) > 4 {
		fmt.Fprintln(os.Stderr, "usage: cri SOCKET METHOD [REQUEST]")
		os.Exit(2)
	}
	answer, err := call(os.Args[1], os.Args[2], append(os.Args, "{}")[3])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(answer)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
