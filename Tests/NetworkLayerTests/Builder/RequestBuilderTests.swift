import TestSupport
import WindTunnelNetworkLayer

@Suite struct RequestBuilderTests {
  func built(
    _ endpoint: Endpoint,
    base: String = "http://127.0.0.1:4711",
    common: Headers = [:]
  ) throws -> URLRequest {
    let url = try #require(URL(string: base))
    return try RequestBuilder(baseURL: url, commonHeaders: common).request(for: endpoint)
  }

  @Test(
    arguments: try TestData.rows("paths-under-base.json", count: 10) as [(String, String, String)]
  )
  func `a path is put under the base, whose own path stays`(
    base: String,
    path: String,
    url: String
  ) throws {
    try expectEqual(built(Endpoint(.get, path), base: base).url?.absoluteString, url)
  }

  @Test func `query items are escaped so that they come back as they were`() throws {
    let query: Query = ["q": "a&b=c d", "plus": "1+1", "q": "ü"]
    let url = try built(Endpoint(.get, "/s", query: query)).url
    expectEqual(url?.absoluteString, "http://127.0.0.1:4711/s?q=a%26b%3Dc%20d&plus=1%2B1&q=%C3%BC")
  }

  @Test func `a target is taken apart at its first question mark`() throws {
    let endpoint = Endpoint(.get, target: "/s?next=/a?b&e=%20")
    expectEqual(endpoint, Endpoint(.get, "/s", query: Query(encoded: "next=/a?b&e=%20")))
    try expectEqual(built(endpoint).url?.absoluteString, "http://127.0.0.1:4711/s?next=/a?b&e=%20")
  }

  @Test func `method, body and fields are sent, an endpoint's own fields before common ones`()
    throws
  {
    let request = try built(
      Endpoint(
        .post,
        "/a",
        headers: ["accept": "text/plain", "X-A": "1"],
        body: .data(Data("hi".utf8))
      ),
      common: ["Accept": "application/json", "X-Common": "c"]
    )
    expectEqual(request.httpMethod, "POST")
    expectEqual(request.httpBody, Data("hi".utf8))
    let fields = request.allHTTPHeaderFields ?? [:]
    expectEqual(request.value(forHTTPHeaderField: "Accept"), "text/plain")
    expectEqual(request.value(forHTTPHeaderField: "X-A"), "1")
    expectEqual(request.value(forHTTPHeaderField: "X-Common"), "c")
    expectEqual(fields.count, 3)
  }

  @Test(arguments: [
    (Endpoint(.get, "users"), RequestError.path("users", .relative)),
    (Endpoint(.get, "/a/../b"), .path("/a/../b", .dotSegment)),
    (Endpoint(.get, "/a/%2E./b"), .path("/a/%2E./b", .dotSegment)),
    (Endpoint(.get, "/."), .path("/.", .dotSegment)),
    (Endpoint(.get, "/a?b"), .path("/a?b", .questionMark)),
    (Endpoint(.get, "/a#b"), .path("/a#b", .fragment)),
    (Endpoint(.get, "/100%"), .path("/100%", .strayPercent)),
    (Endpoint(.get, "/%zz"), .path("/%zz", .strayPercent)),
    (Endpoint(.get, target: "/a?b#c"), .query("b#c", .fragment)),
    (Endpoint(.get, target: "/a?50%"), .query("50%", .strayPercent)),
    (Endpoint("GE T", "/"), .method("GE T")),
    (Endpoint("", "/"), .method("")),
    (Endpoint(.get, "/", headers: ["X A": "1"]), .headerName("X A")),
    (Endpoint(.get, "/", headers: ["X-A": "1\r\nX-B: 2"]), .headerValue(name: "X-A")),
    (Endpoint(.get, "/", body: .data(Data())), .bodyNotAllowed(method: "GET")),
    (Endpoint(.head, "/", body: .data(Data())), .bodyNotAllowed(method: "HEAD")),
  ])
  func `the impossible is refused by name`(endpoint: Endpoint, error: RequestError) {
    #expect(throws: error) { try built(endpoint) }
  }

  @Test(arguments: ["ftp://a.test", "/relative", "http://", "http://a.test/?q", "http://a.test/#f"])
  func `a base that nothing can be put under is refused`(base: String) throws {
    #expect(throws: RequestError.baseURL(base)) { try built(Endpoint(.get, "/"), base: base) }
  }

  @Test func `a refusal says what to write instead`() {
    expectEqual(
      RequestError.path("/a?b", .questionMark).description,
      "The path \"/a?b\" contains a \"?\"; pass the rest as the query, or write %3F."
    )
    expectEqual(
      RequestError.bodyNotAllowed(method: "GET").description,
      "A GET request cannot have a body: send none, or use another method."
    )
    expectEqual(
      RequestError.baseURL("ftp://a.test").description,
      "The base URL \"ftp://a.test\" must be http or https with a host,"
        + " without a query or fragment."
    )
  }

  @Test func `a field is found whatever its case, and replaced at its place`() {
    var headers: Headers = ["A": "1", "Set": "x", "B": "2", "set": "y"]
    expectEqual(headers["SET"], "x")
    headers["sEt"] = "z"
    expectEqual(headers, ["A": "1", "sEt": "z", "B": "2"])
    headers["set"] = nil
    expectEqual(headers, ["A": "1", "B": "2"])
  }
}
