import TestSupport
import WindTunnelTesting

@testable import WindTunnelNetworkLayer

/// Who has a token renewed, and when it counts.
@Suite struct TokenRuleTests {
  @Test(.cassette("tokens")) func `who has no access gets no other token`() async throws {
    let fetches = Counter()
    let tokens = BearerTokens("0") { "\(fetches.next())" }
    let fixture = try Fixture(at: "/forbidden", authenticator: tokens)
    await expectEqual(fixture.start().value, .failure(.credentials(status: 403, body: Data())))
    expectEqual(fixture.transport.instants, [.zero])
    expectEqual(fetches.next(), 1)
  }

  @Test func `what is fetched after a cancellation does not count`() async throws {
    let tokens = BearerTokens("0") { "1" }
    var request = URLRequest(url: try Fixture.base())
    request = try await tokens.authorize(request)
    let isRenewed = await Task { [request] in
      withUnsafeCurrentTask { $0?.cancel() }
      return await tokens.renew(after: request)
    }.value
    #expect(!isRenewed)
    let next = try await tokens.authorize(URLRequest(url: try Fixture.base()))
    expectEqual(next.value(forHTTPHeaderField: "Authorization"), "Bearer 0")
  }

  @Test func `where another token has come meanwhile none is fetched`() async throws {
    let fetches = Counter()
    let tokens = BearerTokens("0") { "\(fetches.next())" }
    let refused = try await tokens.authorize(URLRequest(url: try Fixture.base()))
    let renewals = [await tokens.renew(after: refused), await tokens.renew(after: refused)]
    expectEqual(renewals, [true, true])
    let next = try await tokens.authorize(refused)
    expectEqual(next.value(forHTTPHeaderField: "Authorization"), "Bearer 1")
    expectEqual(fetches.next(), 2)
  }

  @Test(.cassette("tokens")) func `whoever signs out takes his token along`() async throws {
    let tokens = BearerTokens("0") { "1" }
    let fixture = try Fixture(at: "/open", authenticator: tokens)
    await expectEqual(fixture.pages(), ["open network"])
    tokens.signOut()
    await expectEqual(fixture.pages(), ["open network"])
    expectEqual(fixture.sent("Authorization"), ["Bearer 0", nil])
  }

  /// Has a credential for each path, and renews each once both were refused.
  final class Two: Authenticator {
    let renewed = Locked<[String: Int]>([:])
    let refused = Locked<Set<String>>([])

    func authorize(_ request: URLRequest) async throws(MiddlewareError) -> URLRequest {
      var request = request
      let path = request.url?.path ?? ""
      let number = renewed.withLock { $0[path] ?? 0 }
      request.setValue("\(path) \(number)", forHTTPHeaderField: "Authorization")
      return request
    }

    func isRefused(by answer: ServerResponse) -> Bool {
      guard answer.status == 401 else { return false }
      refused.withLock { _ = $0.insert(String(decoding: answer.body, as: UTF8.self)) }
      return true
    }

    func renew(after request: URLRequest) async -> Bool {
      while refused.withLock({ $0.count }) < 2 { await Task.yield() }
      // Whoever would join this has the time to.
      for _ in 0..<100 { await Task.yield() }
      renewed.withLock { $0[request.url?.path ?? "", default: 0] += 1 }
      return true
    }
  }

  @Test(.cassette("tokens"))
  func `a credential that was renewed has cost none of the retries`() async throws {
    let fixture = try Fixture(at: "/unlucky", authenticator: BearerTokens("0") { "1" })
    let (result, waits) = await fixture.waited(3)
    expectEqual(waits.count, 3)
    let answer = CallResponse(status: 200, body: Data("there".utf8), attempts: 5)
    expectEqual(result, .success(answer))
  }

  @Test func `two credentials that are refused at once are renewed one by one`() async throws {
    let two = Two()
    let engine = ScriptedEngine { request throws(TransportError) in
      let isNew = request.value(forHTTPHeaderField: "Authorization")?.hasSuffix(" 1") ?? false
      return ServerResponse(status: isNew ? 200 : 401, body: Data((request.url?.path ?? "").utf8))
    }
    let client = NetworkClient(
      builder: RequestBuilder(baseURL: try Fixture.base()),
      authenticator: two,
      transport: engine,
      limits: CallLimits(deadline: nil)
    )
    let results = await client.results(of: [Endpoint(.get, "/a"), Endpoint(.get, "/b")])
    expectEqual(
      results,
      ["/a", "/b"].map { .success(CallResponse(status: 200, body: Data($0.utf8), attempts: 2)) }
    )
    expectEqual(two.renewed.withLock { $0 }, ["/a": 1, "/b": 1])
  }
}
