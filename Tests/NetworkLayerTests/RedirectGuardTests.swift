#if !canImport(Darwin)
  import Foundation
  import FoundationNetworking
  import Testing

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
      let guarded = RedirectGuard.guarded(request, from: URL(string: from))
      #expect(guarded.value(forHTTPHeaderField: "Accept") == "application/json")
      for (name, value) in credentials {
        #expect(guarded.value(forHTTPHeaderField: name) == (stay ? value : nil), "\(name)")
      }
      #expect(guarded.url == request.url)
    }
  }
#endif
