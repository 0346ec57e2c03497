#if !canImport(Darwin)
  import FoundationNetworking
  import Origins
  import TestSupport

  @testable import WindTunnelNetworkLayer

  /// The credentials of a request that is led on, which sessions on Linux would send along.
  @Suite struct RedirectGuardTests {
    @Test(arguments: [
      ("https://a.test/x", "https://a.test/y", true),
      ("http://a.test:1/x", "http://A.test:2/y", true),
      ("http://a.test/x", "https://a.test/y", true), ("https://a.test/x", "http://a.test/y", false),
      ("https://a.test/x", "https://b.test/y", false),
      ("http://127.0.0.1/x", "http://localhost/y", false),
      ("https://a.test/x", "https://www.a.test/y", false),
    ])
    func `credentials stay with their host, and within TLS`(
      from: String,
      to: String,
      stay: Bool
    ) throws {
      var request = URLRequest(url: try #require(URL(string: to)))
      let credentials = ["Authorization": "Bearer t", "Cookie": "a=b", "Proxy-Authorization": "x"]
      for (name, value) in credentials { request.setValue(value, forHTTPHeaderField: name) }
      request.setValue("application/json", forHTTPHeaderField: "Accept")
      let configuration = URLSessionConfiguration.ephemeral
      let guarded = RedirectGuard.guarded(request, from: URL(string: from), in: configuration)
      expectEqual(guarded.value(forHTTPHeaderField: "Accept"), "application/json")
      for (name, value) in credentials {
        expectEqual(guarded.value(forHTTPHeaderField: name), (stay ? value : nil), "\(name)")
      }
      expectEqual(guarded.url, request.url)
    }

    @Test func `a request is given the cookies of the place that it is led to`() throws {
      let configuration = URLSessionConfiguration.ephemeral
      for host in ["a.test", "b.test"] {
        let cookie = HTTPCookie(properties: [.domain: host, .path: "/", .name: "at", .value: host])
        configuration.httpCookieStorage?.setCookie(try #require(cookie))
      }
      func cookies(at place: String) throws -> String? {
        var request = URLRequest(url: try #require(URL(string: place)))
        request.setValue("from=before", forHTTPHeaderField: "Cookie")
        let from = URL(string: "https://a.test/")
        return RedirectGuard.guarded(request, from: from, in: configuration)
          .value(forHTTPHeaderField: "Cookie")
      }
      try expectEqual(cookies(at: "https://b.test/"), "at=b.test")
      try expectEqual(cookies(at: "https://a.test/y"), "at=a.test")
      try expectNil(cookies(at: "https://c.test/"))
      configuration.httpShouldSetCookies = false
      try expectNil(cookies(at: "https://b.test/"))
    }

    /// An app's delegate that holds a redirect.
    private final class App: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
      typealias Redirect = (task: URLSessionTask, goOn: @Sendable () -> Void)
      let redirects = AsyncStream<Redirect>.makeStream()

      func urlSession(
        _: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection _: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
      ) {
        redirects.continuation.yield((task, { completionHandler(request) }))
      }
    }

    private func origin() throws -> ByteOrigin {
      try ByteOrigin([
        "/moved": Data("HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n".utf8),
        "/there": Data("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8),
      ])
    }

    private func request(_ origin: ByteOrigin, _ path: String) throws -> URLRequest {
      var request = URLRequest(url: try #require(URL(string: origin.url + path)))
      request.setValue("Bearer t", forHTTPHeaderField: "Authorization")
      return request
    }

    @Test(arguments: [false, true])
    func `a call that is cancelled while it is led elsewhere ends, and nothing else does`(
      isStream: Bool
    ) async throws {
      let (origin, app) = (try origin(), App())
      defer { origin.stop() }
      let session = URLSession(configuration: .ephemeral, delegate: app, delegateQueue: nil)
      defer { session.invalidateAndCancel() }
      let (transport, request) = (
        URLSessionTransport(session: session), try request(origin, "/moved")
      )
      let call = Task {
        if isStream {
          _ = try await transport.open(request)
        } else {
          _ = try await transport.send(request)
        }
      }
      var redirects = app.redirects.stream.makeAsyncIterator()
      let redirect = try #require(await redirects.next())
      call.cancel()
      await #expect(throws: TransportError.cancelled) { try await call.value }
      while redirect.task.state == .running { await Task.yield() }
      // The process would end here.
      redirect.goOn()
      let after = Task { try await transport.send(request) }
      let next = try #require(await redirects.next())
      next.goOn()
      try await expectEqual(after.value.body, Data("ok".utf8))
    }
  }
#endif
