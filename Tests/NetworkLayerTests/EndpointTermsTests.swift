import TestSupport
import WindTunnelTesting

@testable import WindTunnelNetworkLayer

/// What endpoints say they need, and what a configuration says of them.
@Suite struct EndpointTermsTests {
  @Test func `an endpoint has limits and retries of its own`() async throws {
    let fixture = try Fixture([.status(503), .status(503), .status(200)], deadline: .seconds(60))
    var endpoint = Endpoint(.get, "/a", mostRetries: 1)
    endpoint.limits = CallLimits(attemptTimeout: .seconds(9), deadline: .seconds(30))
    let call = fixture.start(endpoint)
    // The deadline's, which never comes, and the one wait.
    await expectEqual(fixture.time.nextSleep(), .seconds(30))
    await expectEqual(fixture.time.passSleeps(1), [.milliseconds(200)])
    await expectEqual(call.value, .failure(.server(status: 503, body: Data())))
    expectEqual(fixture.transport.requests.map(\.timeoutInterval), [9, 9])
  }

  @Test func `a configuration overrules an endpoint by its template`() async throws {
    let terms = try JSONDecoder().decode(
      [String: EndpointTerms].self,
      from: Data(
        #"{"/users/{id}":{"mostRetries":0,"attemptTimeoutMilliseconds":7000,"freshSeconds":60}}"#
          .utf8
      )
    )
    let fixture = try Fixture.cached(
      .status(503),
      .status(200, body: "one"),
      .status(200, body: "two"),
      endpoints: terms
    )
    let user = Endpoint(.get, "/users/7", template: "/users/{id}", mostRetries: 3)
    await expectEqual(fixture.result(of: user), .failure(.server(status: 503, body: Data())))
    let one = try await fixture.client.call(user)
    // A server without Cache-Control: the configuration says how long its answer is good.
    fixture.time.advance(by: .seconds(59))
    let kept = try await fixture.client.call(user)
    fixture.time.advance(by: .seconds(1))
    let two = try await fixture.client.call(user)
    expectEqual([one, kept, two].map(\.source), [.network, .cache, .network])
    expectEqual(
      [one, kept, two].map { String(decoding: $0.body, as: UTF8.self) },
      ["one", "one", "two"]
    )
    expectEqual(fixture.transport.requests.map(\.timeoutInterval), [7, 7, 7])
    // Another endpoint has none of it.
    #expect(await fixture.result(of: Endpoint(.get, "/users")) != .success(one))
    expectEqual(fixture.transport.requests.last?.timeoutInterval, 3)
  }

  @Test func `terms are joined over layers, and checked`() throws {
    let configuration = try NetworkConfiguration(
      builtIn: ConfigurationLayer(
        baseURL: "https://api.example.test",
        slots: 10,
        slotsPerHost: 4,
        endpoints: ["/pay": EndpointTerms(deadlineMilliseconds: 9000, slots: 2)]
      ),
      fetched: ConfigurationLayer(endpoints: ["/pay": EndpointTerms(mostRetries: 1)])
    )
    expectEqual(
      configuration.endpoints,
      ["/pay": EndpointTerms(deadlineMilliseconds: 9000, mostRetries: 1, slots: 2)]
    )
    expectEqual(configuration.caps, TrafficCaps(total: 10, perHost: 4, perEndpoint: ["/pay": 2]))
    expectEqual(
      configuration.publicView["endpoints./pay"],
      #"{"deadlineMilliseconds":9000,"mostRetries":1,"slots":2}"#
    )
    #expect(
      throws: ConfigurationError(problems: [
        "\"mostRetries\" of \"/pay\" is 11; it must be 0 to 10."
      ])
    ) {
      try NetworkConfiguration(
        builtIn: ConfigurationLayer(
          baseURL: "https://api.example.test",
          endpoints: ["/pay": EndpointTerms(mostRetries: 11)]
        )
      )
    }
  }

  @Test func `a priority is spelled by its name`() throws {
    for (name, priority) in [("critical", CallPriority.critical), ("deferrable", .deferrable)] {
      let data = Data(#"{"priority":"\#(name)"}"#.utf8)
      let terms = try JSONDecoder().decode(EndpointTerms.self, from: data)
      expectEqual(terms.priority, priority)
      try expectEqual(JSONEncoder().encode(terms), data)
    }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(EndpointTerms.self, from: Data(#"{"priority":"urgent"}"#.utf8))
    }
  }

  private struct Search: Encodable {
    var text: String
    var page: Int
    var tags: [String]
    var exact: Bool
    var near: String?
  }

  @Test func `a value becomes a query, a form or JSON`() throws {
    let search = Search(text: "a b&c", page: 2, tags: ["x", "y"], exact: true)
    let all = Endpoint(.post, "/search", query: ["v": "1"])
    let query = try all.sending(search, as: .query)
    expectEqual(query.query?.encoded, "v=1&exact=true&page=2&tags=x&tags=y&text=a%20b%26c")
    let form = try all.sending(search, as: .form)
    expectEqual(form.body?.data, Data("exact=true&page=2&tags=x&tags=y&text=a%20b%26c".utf8))
    let json = try all.sending(search, as: .json)
    expectEqual(
      json.body?.data,
      Data(#"{"exact":true,"page":2,"tags":["x","y"],"text":"a b&c"}"#.utf8)
    )
    #expect(throws: RequestError.self) { try all.sending(["a": ["b": 1]], as: .query) }
  }

  @Test(.cassette("calls")) func `base parameters are evaluated at each attempt`() async throws {
    let number = Counter()
    let base = [ParameterPlace.query, .form, .json].map { place in
      BaseParameters(in: place) { [Headers.Field("n", "\(number.next())")] }
    }
    let fixture = try Fixture(at: "/based", middleware: [base[0]])
    let asked = Endpoint(.get, "/based", query: ["q": "1"])
    try await expectEqual(fixture.waited(1, for: asked).result.get().body, Data("ok".utf8))
    expectEqual(fixture.transport.requests.map { $0.url?.query ?? "" }, ["q=1&n=1", "q=1&n=2"])
    let forms = try Fixture(at: "/based", middleware: [base[1], base[2]])
    for body in [.form([.init("q", "1")]), try RequestBody.json(["q": "1"])] {
      await expectEqual(forms.seen([Endpoint(.post, "/based", body: body)]), ["ok network"])
    }
    expectEqual(
      forms.transport.requests.map { String(decoding: $0.httpBody ?? Data(), as: UTF8.self) },
      ["q=1&n=3", #"{"n":"6","q":"1"}"#]
    )
  }
}
