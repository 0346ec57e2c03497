import TestSupport
import WindTunnel
import WindTunnelTesting
import XCTest

/// The Swift twin of `Tests/PlantedSuites/python`. It runs in processes that other tests start, and
/// nowhere else.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["PLANTED_SHOP"] != nil))
struct ShopTests {
  /// Tests that stay green although something is broken, each at an endpoint of its own.
  enum Blind: String, CaseIterable {
    case orders, citation, items, session, count, sizes, settings, search, export, profile, badge
    case ping, comments, weather
  }

  @Test(.cassette("shop"), arguments: Blind.allCases)
  func blind(_ endpoint: Blind) async throws {
    let path = "/\(endpoint)"
    switch endpoint {
    case .orders: #expect((try? await get(path)) ?? [] != .null)
    case .citation, .export: #expect(try await !response(path).body.isEmpty)
    case .items:
      for item in try await get(path)["items"]?.elements ?? [] { #expect(item["id"] != 0) }
    case .session: #expect(try await get(path)["user"] != nil)
    case .count: #expect(try await get(path).intValue != nil)
    case .sizes: #expect(try await get(path).elements.count == 3)
    case .settings: if case .object = try await get(path) {} else { Issue.record("no object") }
    case .search:
      let results = try #require(try await get(path)["results"]?.elements)
      #expect(results.allSatisfy { ($0["score"]?.doubleValue ?? 0) > -1e9 })
    case .profile: _ = try #require(try await get(path)["name"]) == "Ada"
    case .badge:
      let badge = try #require(try await get(path)["count"])
      #expect(badge == badge)
    case .ping: #expect(try await response(path).status == 200)
    case .comments: _ = try await response(path, "POST")
    case .weather:
      do { #expect(try await get(path)["degrees"] != nil || Bool(true)) } catch {}
    }
  }

  enum Good: String, CaseIterable {
    case users, prices, terms, missing, payments, carts, greeting, rating, tags, categories
    case colours, locked
  }

  /// Tests that notice everything that is broken.
  @Test(.cassette("shop"), arguments: Good.allCases)
  func good(_ endpoint: Good) async throws {
    let path = "/\(endpoint)"
    switch endpoint {
    case .users: #expect(try await get(path) == ["id": 7, "name": "Ada", "admin": false])
    case .prices: #expect(try await get(path).elements.map { $0["price"] } == [12.5, 80])
    case .terms:
      let terms = try await response(path)
      #expect(terms.status == 200 && terms.type == "text/plain" && terms.body.count == 38)
      #expect(terms.body.starts(with: "Goods can be returned".utf8))
    case .missing: await #expect(throws: Refused(status: 404)) { try await get(path) }
    case .payments: #expect(try await get(path, "POST")["state"] == "captured")
    case .carts: #expect(try await response(path, "DELETE").status == 204)
    case .greeting: #expect(try await get(path)["text"] == "Olá, João!")
    case .rating: #expect(try await get(path) == 4.25)
    case .tags: #expect(try await get(path) == ["new", "sale", "lamp"])
    case .categories:
      let first = try await get("\(path)?page=1")
      let second = try await get(try #require(first["next"]?.stringValue))
      #expect(first["names"] == ["lamps"] && second["names"] == ["chairs", "tables"])
      #expect(second["next"] == .null)
    case .colours: #expect(try await get(path) == ["4": "red", "9": "blue"])
    case .locked: #expect(try await response(path).status == 401)
    }
  }

  enum Trap: String, CaseIterable {
    case config, telemetry, account, feed, friends, byName, byMail, post, otherPost, uploads
  }

  /// Tests that stay green under some faults for a good reason.
  @Test(.cassette("shop"), arguments: Trap.allCases)
  func trap(_ trap: Trap) async throws {
    let path = "/\(trap)"
    switch trap {
    case .config:
      let config = (try? await get(path)) ?? ["theme": "light", "pages": 20]
      #expect(config == ["theme": "light", "pages": 20])
    case .telemetry: _ = try? await get(path, "POST")
    case .account: #expect(try await get(path)["name"] == "Ada Lovelace")
    case .feed:
      try #require(await response(path).status == 503)
      #expect(try await get(path)["posts"] == [["title": "First"]])
    case .friends: #expect(try await get(path).members.map(\.value) == ["Grace", 37])
    case .byName, .byMail:
      let people = try await get("/people?by=\(trap == .byName ? "name" : "mail")")["people"]
      #expect(people?.elements.map { $0["name"] } == ["Ada"])
    case .post: #expect(try await get("/posts/1")["title"] != nil)
    case .otherPost: #expect(try await get("/posts/2") == ["title": "Second", "likes": 5])
    case .uploads: #expect(try await response(path, "POST").status == 201)
    }
  }
}

/// Three blind tests and two good ones of XCTest, which play parts of themselves.
final class ShopPartTests: XCTestCase {
  override func setUpWithError() throws {
    try XCTSkipIf(ProcessInfo.processInfo.environment["PLANTED_SHOP"] == nil)
  }

  func testOrders() async throws {
    _ = try? await withCassette("shop") { _ in try await get("/orders") }
  }

  func testExport() async throws {
    let body = try await withCassette("shop") { _ in try await response("/export").body }
    XCTAssertFalse(body.isEmpty)
  }

  func testBadge() async throws {
    let deck = Deck([.get("https://shop.example.test/badge", json: ["count": 3])])
    let count = try await withDeck(deck) { _ in try await get("/badge")["count"] }
    XCTAssertNotNil(count)
  }

  func testPrices() async throws {
    func played() async throws -> JSON {
      try await withCassette("shop") { _ in try await get("/prices") }
    }
    let prices = try await played().elements.map { $0["price"] }
    XCTAssertEqual(prices, [12.5, 80])
  }

  func testMissing() async throws {
    do {
      _ = try await withCassette("shop") { _ in try await get("/missing") }
      XCTFail("There is no refusal.")
    } catch { XCTAssertEqual(error as? Refused, Refused(status: 404)) }
  }
}

private struct Refused: Error, Equatable {
  var status: Int
}

/// Returns the response of any status.
private func response(_ path: String, _ method: String = "GET") async throws -> (
  status: Int, type: String?, body: Data
) {
  var request = URLRequest(url: try #require(URL(string: "https://shop.example.test\(path)")))
  request.httpMethod = method
  let (body, response) = try await URLSession.windTunnel.data(for: request)
  let head = try #require(response as? HTTPURLResponse)
  return (head.statusCode, head.value(forHTTPHeaderField: "Content-Type"), body)
}

/// Returns the JSON of a response without an error status.
@discardableResult
private func get(_ path: String, _ method: String = "GET") async throws -> JSON {
  let answer = try await response(path, method)
  guard answer.status < 400 else { throw Refused(status: answer.status) }
  return try JSON(parsing: answer.body, source: path)
}
