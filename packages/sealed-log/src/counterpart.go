// Checks a log that Custodia made with the packages of Go's checksum database, and makes one for Custodia to check.
// Debian: golang-go, golang-golang-x-mod-dev. Reads and prints JSON.
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type inclusion struct {
	Index, Size int64
	Proof       []tlog.Hash
}

type consistency struct {
	Former, Size int64
	Proof        []tlog.Hash
}

type made struct {
	Key           string
	Leaves        []string
	Checkpoints   map[int64]string
	Inclusions    []inclusion
	Consistencies []consistency
	// By path, in base64.
	Tiles map[string]string
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	var given made
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		log.Fatal(err)
	}
	var stored []tlog.Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		hashes := make([]tlog.Hash, len(indexes))
		for at, index := range indexes {
			hashes[at] = stored[index]
		}
		return hashes, nil
	})
	for index, leaf := range given.Leaves {
		stored = append(stored, must(tlog.StoredHashes(int64(index), []byte(leaf), reader))...)
	}
	root := func(size int64) tlog.Hash { return must(tlog.TreeHash(size, reader)) }
	leaf := func(index int64) tlog.Hash { return tlog.RecordHash([]byte(given.Leaves[index])) }
	text := func(origin string, size int64) string {
		return fmt.Sprintf("%s\n%d\n%s\n", origin, size, root(size))
	}

	verifier := must(note.NewVerifier(given.Key))
	for size, checkpoint := range given.Checkpoints {
		opened := must(note.Open([]byte(checkpoint), note.VerifierList(verifier)))
		if opened.Text != text(verifier.Name(), size) {
			log.Fatalf("the checkpoint of %d entries has another root", size)
		}
		if _, err := note.Open([]byte(strings.Replace(checkpoint, "\n", "x\n", 1)), note.VerifierList(verifier)); err == nil {
			log.Fatal("an altered checkpoint opens")
		}
	}
	for _, each := range given.Inclusions {
		if err := tlog.CheckRecord(each.Proof, each.Size, root(each.Size), each.Index, leaf(each.Index)); err != nil {
			log.Fatalf("entry %d of %d: %v", each.Index, each.Size, err)
		}
	}
	for _, each := range given.Consistencies {
		if err := tlog.CheckTree(each.Proof, each.Size, root(each.Size), each.Former, root(each.Former)); err != nil {
			log.Fatalf("%d of %d: %v", each.Former, each.Size, err)
		}
	}
	for path, encoded := range given.Tiles {
		// Go's path names the height too, which tlog-tiles fixes.
		tile := must(tlog.ParseTilePath(strings.Replace(path, "tile/", "tile/8/", 1)))
		data := must(base64.StdEncoding.DecodeString(encoded))
		if !bytes.Equal(data, must(tlog.ReadTileData(tile, reader))) {
			log.Fatalf("%s has other hashes", path)
		}
	}

	secret, key, err := note.GenerateKey(rand.Reader, "custodia/go")
	signer := must(note.NewSigner(must(secret, err)))
	answer := made{Key: key, Leaves: given.Leaves, Checkpoints: map[int64]string{}}
	for size := int64(1); size <= int64(len(given.Leaves)); size += 37 {
		signed := must(note.Sign(&note.Note{Text: text(signer.Name(), size)}, signer))
		answer.Checkpoints[size] = string(signed)
		answer.Inclusions = append(answer.Inclusions, inclusion{size / 2, size, must(tlog.ProveRecord(size, size/2, reader))})
		answer.Consistencies = append(answer.Consistencies, consistency{size/3 + 1, size, must(tlog.ProveTree(size, size/3+1, reader))})
	}
	if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
		log.Fatal(err)
	}
}
