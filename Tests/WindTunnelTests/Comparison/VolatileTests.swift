import TestSupport

@testable import WindTunnelCassettes

/// What an unchanged origin has otherwise each time.
@Suite struct VolatileTests {
  private func upload(
    _ boundary: String,
    _ text: String = "hello",
    type: String = "multipart/form-data; boundary=",
    quote: String = ""
  ) -> Interaction {
    let body =
      "--\(boundary)\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\(text)\r\n"
      + "--\(boundary)\r\nContent-Disposition: form-data; name=\"b\"; filename=\"b\"\r\n\r\n\r\n"
      + "--\(boundary)--\r\n"
    let request = Request(
      "POST",
      "https://a.test/upload",
      headers: [
        "Content-Type": type + quote + boundary + quote,
        "Content-Length": "\(body.utf8.count)",
      ],
      body: Body(body)
    )
    return Interaction(request, Response(status: 201))
  }

  @Test(arguments: ["", "\""])
  func `a multipart with another boundary is the same, however long that is`(quote: String) {
    let old = upload("------------------------d74496d66958873e", quote: quote)
    let new = upload("1f2", quote: quote)
    #expect(old != new && old.steady == new.steady)
    expectEqual(Rerecording.keepingOld([old], under: [new]), [old])
    #expect(CassetteDifference(from: Cassette([old]), to: Cassette([new])).isEmpty)
    // A prefix of the other's boundary is another boundary.
    expectEqual(upload("1f2").steady, upload("1f").steady)
  }

  @Test func `an answer in parts is the same, too`() {
    let answer = { (boundary: String) in
      Interaction(
        Request("GET", "https://a.test/ranges", headers: ["Range": "bytes=0-1,4-5"]),
        Response(
          status: 206,
          headers: ["Content-Type": "multipart/byteranges; boundary=\(boundary)"],
          body: Body(
            "\r\n--\(boundary)\r\n\r\nab\r\n--\(boundary)\r\n\r\nef\r\n--\(boundary)--\r\n"
          )
        )
      )
    }
    expectEqual(answer("00000000000000000007").steady, answer("00000000000000000012").steady)
  }

  @Test func `what a multipart says otherwise is a difference`() {
    let (old, new) = (upload("x1"), upload("x2", "hello!"))
    #expect(old.steady != new.steady)
    let parts = CassetteDifference(from: Cassette([old]), to: Cassette([new])).changes
    expectEqual(
      parts,
      [
        .changed(
          new.steady,
          from: 1,
          to: 1,
          [PartDifference("request.text, line 4", from: #""hello\r""#, to: #""hello!\r""#)]
        )
      ],
      "\(parts)"
    )
    // Parts are not joined or parted by a boundary that one of them holds.
    let tricky = upload("x1", "1\r\n--any-boundary\r\n2")
    expectEqual(tricky.steady.request.body, tricky.request.body)
    expectEqual(upload("x1", type: "text/plain; boundary=").steady.request.body, old.request.body)
  }

  @Test(arguments: ["", "--x1\r\n\r\nno end", "no parts at all"])
  func `what is no whole multipart stays as it is`(text: String) {
    var interaction = upload("x1")
    interaction.request.body = Body(text)
    expectEqual(interaction.steady.request.body, Body(text))
  }

  @Test func `a request's key and a connection's rest are volatile, and its patience is not`() {
    let interaction = { (key: String, alive: String) in
      Interaction(
        Request("POST", "https://a.test/pay", headers: ["Idempotency-Key": key]),
        Response(status: 204, headers: ["Keep-Alive": alive])
      )
    }
    expectEqual(
      interaction("7a", "timeout=5, max=98").steady,
      interaction("9c", "timeout=5, max=97").steady
    )
    #expect(
      interaction("7a", "timeout=5, max=98").steady != interaction("7a", "timeout=6, max=98").steady
    )
  }

  @Test func `more fields can be named`() {
    let interaction = { (host: String) in
      Interaction(
        Request("GET", "https://a.test/a"),
        Response(status: 204, headers: ["X-Served-By": host, "ETag": "1"])
      )
    }
    let (old, new) = (Cassette([interaction("a")]), Cassette([interaction("b")]))
    #expect(!CassetteDifference(from: old, to: new).isEmpty)
    #expect(CassetteDifference(from: old, to: new, volatile: ["x-served-BY"]).isEmpty)
    #expect(!CassetteDifference(from: old, to: new, volatile: ["ETag"]).isEmpty)
  }
}
