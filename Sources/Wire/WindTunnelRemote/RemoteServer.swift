public import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A client for the admin port of a running `windtunnel serve`.
///
/// A UI test cannot access the app's process. It sets the responses of the server next to the app,
/// and afterwards checks the received requests.
///
/// ```swift
/// let server = RemoteServer(admin: url)
/// try await server.load(cassetteAt: tape)
/// try await server.put(RemoteStub("down", "POST /orders", status: 503))
/// ```
///
/// It requires only Foundation. It contains a URL and a session, so it can be copied. Changes apply
/// from the next request on. Every method throws ``RemoteError``.
public struct RemoteServer: Sendable {
  /// The address of the admin port, such as `http://127.0.0.1:8081`.
  public let admin: URL

  private let session: URLSession

  /// Creates a client of an admin port.
  ///
  /// - Parameters:
  ///   - admin: The address that `serve --admin-port` prints in its second line.
  ///   - seconds: The timeout of each call in seconds.
  public init(admin: URL, timeout seconds: TimeInterval = 10) {
    self.admin = admin
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = seconds
    session = URLSession(configuration: configuration)
  }

  /// Returns the state of the server; throws if it is not running.
  public func health() async throws(RemoteError) -> RemoteHealth {
    try await read("GET", "health")
  }

  /// Returns the first request that matches a pattern, after the request with a number. Waits if
  /// there is none yet.
  ///
  /// - Throws: ``RemoteError/missing(_:_:)`` if none is received in time, and the errors of
  ///   ``requests(_:since:)``.
  public func nextRequest(
    _ pattern: String,
    since number: Int = 0,
    within limit: Duration
  ) async throws(RemoteError) -> RemoteRequest {
    let end = ContinuousClock.now + limit
    while true {
      let isLast = Task.isCancelled || ContinuousClock.now >= end
      if let request = try await requests(pattern, since: number).first { return request }
      if isLast { throw .missing(pattern, limit) }
      // If the task is cancelled, the sleep returns at once, and the next iteration ends the loop.
      try? await Task.sleep(for: min(Self.pause, max(.zero, end - .now)))
    }
  }

  /// The time between two polls for a request.
  private static let pause = Duration.milliseconds(50)

  /// Returns the received requests, oldest first, without secrets.
  ///
  /// - Parameters:
  ///   - pattern: A method and a path, such as `GET /users/*`, or only a path; `nil` means all
  ///     requests.
  ///   - number: Only requests after the request with this number are returned.
  /// - Returns: The first 10,000 matching requests.
  /// - Throws: ``RemoteError`` if the server cannot be reached or rejects the pattern.
  public func requests(
    _ pattern: String? = nil,
    since number: Int = 0
  ) async throws(RemoteError) -> [RemoteRequest] {
    var filters = ["since": "\(number)", "limit": "10000"]
    let words = (pattern ?? "").split(separator: " ", maxSplits: 1)
    if let path = words.last { filters["path"] = String(path) }
    if words.count == 2, words[0] != "*" { filters["method"] = String(words[0]) }
    let list: RequestList = try await read("GET", "requests", filters: filters)
    return list.requests
  }

  /// Checks whether a request was received a number of times.
  ///
  /// - Parameters:
  ///   - pattern: A method and a path, such as `POST /orders`.
  ///   - times: The expected number of times, such as `1...1` or `0...0`.
  ///   - number: Only requests after the request with this number count.
  /// - Returns: The result, with the matching requests.
  /// - Throws: ``RemoteError`` if the server cannot be reached or rejects the pattern. Also if it
  ///   has discarded requests that might match.
  public func received(
    _ pattern: String,
    times: ClosedRange<Int>,
    since number: Int = 0
  ) async throws(RemoteError) -> RemoteVerdict {
    let question = CountQuestion(
      request: pattern,
      atLeast: times.lowerBound,
      atMost: times.upperBound,
      since: number
    )
    return try await read("POST", "verify", encode(question))
  }

  /// Checks whether requests were received in an order; other requests may be in between.
  public func received(inOrder patterns: [String]) async throws(RemoteError) -> RemoteVerdict {
    try await read("POST", "verify", encode(OrderQuestion(inOrder: patterns)))
  }

  /// Returns the recordings of the cassette, each with its number of plays.
  public func interactions() async throws(RemoteError) -> [RemoteInteraction] {
    let list: InteractionList = try await read("GET", "interactions")
    return list.interactions
  }

  /// Returns the stubs, in the order in which they were added.
  public func stubs() async throws(RemoteError) -> [RemoteStub.Summary] {
    let list: StubList = try await read("GET", "stubs")
    return list.stubs
  }

  /// Clears the received requests and the plays, and restarts the cassette and the scenario. Stubs
  /// are kept.
  public func reset() async throws(RemoteError) { _ = try await ask("POST", "reset") }

  /// Plays a cassette from its beginning, and removes all stubs.
  ///
  /// - Parameter file: A cassette of at most 64 MiB without side files.
  /// - Returns: The number of its interactions.
  /// - Throws: ``RemoteError`` if the file cannot be read or is not a cassette, or if the server
  ///   cannot be reached.
  @discardableResult
  public func load(cassetteAt file: URL) async throws(RemoteError) -> Int {
    let data: Data
    do {
      data = try Data(contentsOf: file)
    } catch {
      throw .unreadable(file.lastPathComponent, "\(error.localizedDescription)")
    }
    return try await load(cassette: data)
  }

  /// Plays a cassette from its beginning, removes all stubs, and returns the number of
  /// interactions.
  @discardableResult
  public func load(cassette: Data) async throws(RemoteError) -> Int {
    let count: InteractionCount = try await read("PUT", "cassette", cassette)
    return count.interactions
  }

  /// Starts a built-in scenario, such as `offline`, or one that the server was started with.
  public func play(_ scenario: String, seed: UInt64? = nil) async throws(RemoteError) {
    _ = try await ask("PUT", "scenario", encode(ScenarioName(name: scenario, seed: seed)))
  }

  /// Starts a scenario from the contents of a scenario file.
  public func play(scenario: Data) async throws(RemoteError) {
    _ = try await ask("PUT", "scenario", scenario)
  }

  /// Adds a stub, which takes precedence over the cassette and replaces a stub with the same name.
  public func put(_ stub: RemoteStub) async throws(RemoteError) {
    _ = try await ask("PUT", "stubs", part: stub.name, encode(stub))
  }

  /// Removes the stub with a name.
  public func removeStub(named name: String) async throws(RemoteError) {
    _ = try await ask("DELETE", "stubs", part: name)
  }

  /// Removes all stubs of the server.
  public func removeStubs() async throws(RemoteError) { _ = try await ask("DELETE", "stubs") }

  private func read<Answer: Decodable>(
    _ method: String,
    _ path: String,
    filters: [String: String] = [:],
    _ body: Data? = nil
  ) async throws(RemoteError) -> Answer {
    let data = try await ask(method, path, filters: filters, body)
    do {
      return try JSONDecoder().decode(Answer.self, from: data)
    } catch {
      throw .notUnderstood("\(method) /\(path)", "\(error)")
    }
  }

  private func encode(_ value: some Encodable) throws(RemoteError) -> Data {
    do {
      return try JSONEncoder().encode(value)
    } catch {
      throw .notUnderstood("the question", "\(error)")
    }
  }

  private func ask(
    _ method: String,
    _ path: String,
    part: String? = nil,
    filters: [String: String] = [:],
    _ body: Data? = nil
  ) async throws(RemoteError) -> Data {
    var place = admin.appendingPathComponent(path)
    // A slash in a name must be escaped.
    let plain = CharacterSet.alphanumerics.intersection(CharacterSet(charactersIn: "\0"..."~"))
    if let part, let name = part.addingPercentEncoding(withAllowedCharacters: plain),
      let named = URL(string: "\(place.absoluteString)/\(name)")
    {
      place = named
    }
    if !filters.isEmpty, var parts = URLComponents(url: place, resolvingAgainstBaseURL: false) {
      parts.percentEncodedQuery = filters.sorted { $0.key < $1.key }.map { name, value in
        "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: plain) ?? "")"
      }.joined(separator: "&")
      place = parts.url ?? place
    }
    var request = URLRequest(url: place)
    request.httpMethod = method
    request.httpBody = body
    if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
    let data: Data
    let response: URLResponse
    do {
      (data, response) = try await session.data(for: request)
    } catch {
      throw .unreachable(admin, "\(error.localizedDescription)")
    }
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    guard 200..<300 ~= status else {
      // A response in another format is not from this server, so its text is quoted.
      let problem = try? JSONDecoder().decode([String: String].self, from: data)
      throw .refused(status, problem?["error"] ?? String(decoding: data.prefix(200), as: UTF8.self))
    }
    return data
  }
}

private struct RequestList: Decodable { var requests: [RemoteRequest] }
private struct InteractionList: Decodable { var interactions: [RemoteInteraction] }
private struct InteractionCount: Decodable { var interactions: Int }
private struct StubList: Decodable { var stubs: [RemoteStub.Summary] }
private struct OrderQuestion: Encodable { var inOrder: [String] }

private struct CountQuestion: Encodable {
  var request: String
  var atLeast: Int
  var atMost: Int
  var since: Int
}

private struct ScenarioName: Encodable {
  var name: String
  var seed: UInt64?
}

// The mark of this module in programs, by which `check-release` finds it; the number is its own.
@section("__DATA_CONST,__wt_modules")
@used private let linkMark: (UInt64, UInt64, UInt64) =
  (0xF1D3_8A6C_57E2_94B0, 0x9C0E_B7A5_2D41_F863, 29)
