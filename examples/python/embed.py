#!/usr/bin/env python3
"""Asks a gateway for private vectors with Python's own library, until the budget is spent."""

import json
import os
import sys
import urllib.error
import urllib.request

URL = os.environ.get("SOTTO_URL", "http://127.0.0.1:8787")
KEY = os.environ.get("SOTTO_KEY", "unused")
USER = os.environ.get("SOTTO_USER", "example")


class Refused(Exception):
    """An answer that is an error: its status, and what it says."""

    def __init__(self, status, error):
        super().__init__(error["message"])
        self.status = status
        self.error = error


def embed(texts, **more):
    """Returns the vectors of some texts, and what their release promises and cost."""
    body = json.dumps({"model": "sotto", "input": texts, "user": USER, **more}).encode()
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + KEY}
    try:
        with urllib.request.urlopen(urllib.request.Request(URL + "/v1/embeddings", body, headers)) as reply:
            answer = json.load(reply)
    except urllib.error.HTTPError as reply:
        raise Refused(reply.code, json.load(reply)["error"]) from None
    return [one["embedding"] for one in answer["data"]], answer["privacy"]


def main():
    vectors, privacy = embed(["I feel unwell today"])
    width = len(vectors[0])
    print(
        f"a vector of {width} numbers, epsilon {privacy['epsilon']:.4g} for each {privacy['unit']}"
        f" by {privacy['mechanism']}; it cost {privacy['cost']:g}, and {privacy['left']:g} is left"
    )

    # A private vector has the width of its mechanism. Another is refused, and not cut.
    again, privacy = embed(["I feel unwell today"], dimensions=width)
    same = "the same" if again == vectors else "another"
    print(f"the same text again, with dimensions {width}: {same} vector, it cost {privacy['cost']:g}")
    try:
        embed(["I feel unwell today"], dimensions=7)
    except Refused as refused:
        print(f"with dimensions 7: status {refused.status}, {refused.error['code']}")

    # Every new text is paid for, until the budget is spent.
    for day in range(1, 1001):
        try:
            embed([f"On day {day} I felt better"])
        except Refused as refused:
            error = refused.error
            if error["code"] != "over_budget":
                raise
            print(
                f"text {day} was refused: status {refused.status}, {error['code']},"
                f" asked for {error['asked']:g} with {error['left']:g} left"
            )
            return 0
    print("the budget did not end", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
