import TestSupport
import WindTunnelNetworkLayer
import WindTunnelSymptoms

@Suite struct DecodingTests {
  struct Page: Decodable, Equatable {
    var id: Int
    @Fallback<EmptyText> var title: String
    @Fallback<NoItems<Int>> var items: [Int]
  }

  func result<Value>(_ text: String, _ decoder: ResponseDecoder<Value>) -> Result<
    Value, NetworkError
  > {
    do throws(NetworkError) {
      return .success(try decoder.decode(CallResponse(status: 200, body: Data(text.utf8))))
    } catch {
      return .failure(error)
    }
  }

  @Test(arguments: [
    (#"{"id":1,"title":"a","items":[1]}"#, Page(id: 1, title: "a", items: [1])),
    (#"{"id":1}"#, Page(id: 1, title: "", items: [])),
    (#"{"id":1,"title":null,"items":null}"#, Page(id: 1, title: "", items: [])),
  ])
  func `a missing or null member gets its default`(text: String, page: Page) {
    expectEqual(result(text, .json()), .success(page))
  }

  @Test(arguments: [
    (#"{"title":"a"}"#, DecodeFault.missing("id")),
    (#"{"id":null}"#, .missing("id")),
    ("<html>", .notJSON),
    (#"{"id":1"#, .notJSON),
    ("", .notJSON),
  ])
  func `what does not decode is told with its place`(text: String, fault: DecodeFault) {
    let decoder: ResponseDecoder<Page> = .json()
    expectEqual(result(text, decoder), .failure(.decode(fault)))
  }

  @Test(arguments: [(#"{"id":"1"}"#, "id"), (#"{"id":1,"items":[1,"2"]}"#, "items.1")])
  func `a value of another type is no default`(text: String, place: String) {
    let decoder: ResponseDecoder<Page> = .json()
    guard case .failure(.decode(.mismatch(let path, _))) = result(text, decoder) else {
      Issue.record("\(result(text, decoder))")
      return
    }
    expectEqual(path, place)
  }

  @Test(arguments: [
    (#"{"retcode":0,"retdesc":"ok","data":{"id":7}}"#, Page(id: 7, title: "", items: [])),
    (#"{"retcode":"0","data":{"id":7}}"#, Page(id: 7, title: "", items: [])),
  ])
  func `an envelope is opened`(text: String, page: Page) {
    expectEqual(result(text, .envelope()), .success(page))
  }

  @Test(arguments: [
    (
      #"{"retcode":1001,"retdesc":"no such user","data":null}"#,
      NetworkError.business(code: "1001", message: "no such user")
    ),
    (#"{"retcode":"E7"}"#, .business(code: "E7", message: "")),
    (#"{"retcode":5,"retdesc":{}}"#, .business(code: "5", message: "")),
    (#"{"data":{"id":7}}"#, .decode(.missing("retcode"))),
    (#"{"retcode":0}"#, .decode(.missing("data"))),
    (#"{"retcode":0,"data":{}}"#, .decode(.missing("data.id"))),
    ("<html>", .decode(.notJSON)),
  ])
  func `a refusal in an envelope is a business error`(text: String, error: NetworkError) {
    let decoder: ResponseDecoder<Page> = .envelope()
    expectEqual(result(text, decoder), .failure(error))
  }

  @Test func `an envelope in an envelope is opened layer by layer`() {
    let envelope = Envelope(layers: 2)
    let good = #"{"retcode":0,"data":{"retcode":0,"data":{"id":7}}}"#
    let bad = #"{"retcode":0,"data":{"retcode":3,"retdesc":"sold out"}}"#
    expectEqual(result(good, .envelope(envelope)), .success(Page(id: 7, title: "", items: [])))
    let decoder: ResponseDecoder<Page> = .envelope(envelope)
    expectEqual(result(bad, decoder), .failure(.business(code: "3", message: "sold out")))
  }

  @Test func `where only the code matters the data may be missing`() {
    expectEqual(result(#"{"retcode":0}"#, .envelope()), .success(EmptyValue()))
  }
}

@Suite struct ResponseRulesTests {
  let rules = ResponseRules.json(requiring: "data.items.*.id", "data.next")

  func breach(_ body: String, _ type: String? = "application/json", status: Int = 200)
    -> NetworkError?
  {
    var answer = ServerResponse(status: status, body: Data(body.utf8))
    answer.headers["Content-Type"] = type
    return rules.breach(by: answer)
  }

  @Test(arguments: [
    #"{"data":{"items":[{"id":1},{"id":0}],"next":""}}"#,
    #"{"data":{"items":[],"next":false}}"#,
  ])
  func `an answer that keeps the rules passes`(body: String) {
    expectNil(breach(body))
    expectNil(breach(body, "Application/JSON; charset=utf-8"))
    expectNil(breach(body, "application/hal+json"))
  }

  @Test(arguments: try TestData.rows("gaps.json", count: 7) as [(String, String)])
  func `the first gap is told`(body: String, path: String) {
    expectEqual(breach(body), .decode(.missing(path)))
  }

  @Test func `status comes before type and type before content`() {
    expectEqual(
      breach("<html>", "text/html", status: 503),
      .server(status: 503, body: Data("<html>".utf8))
    )
    expectEqual(
      breach("<html>", "text/html"),
      .decode(.contentType("text/html", expected: ["application/json"]))
    )
    expectEqual(breach("{}", nil), .decode(.contentType(nil, expected: ["application/json"])))
    expectEqual(breach("<html>"), .decode(.notJSON))
  }

  @Test func `a call keeps to its endpoint's rules`() async throws {
    let fixture = try Fixture([.status(200, ["Content-Type": "text/html"], body: "<html>log in")])
    let endpoint = Endpoint(.get, "/a", rules: .json())
    await expectEqual(
      fixture.start(endpoint).value,
      .failure(.decode(.contentType("text/html", expected: ["application/json"])))
    )
  }

  @Test func `no network is told apart`() async throws {
    let fixture = try Fixture([.symptom(.offline)])
    let result = await fixture.start().value
    expectEqual(result, .failure(.offline(text: "offline")))
    expectEqual(fixture.transport.instants.count, 1)
  }
}
