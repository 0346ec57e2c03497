public import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A running `windtunnel serve`, asked and changed over its admin port.
///
/// A test of an app's screens cannot reach into the app: it tells the server beside it what to
/// answer, and asks afterwards what came.
///
/// ```swift
/// let server = RemoteServer(admin: url)
/// try await server.load(cassetteAt: tape)
/// try await server.put(RemoteStub("down", "POST /orders", status: 503))
/// ```
///
/// It needs Foundation alone and holds an address and a session, so that it can be copied.
/// What it changes holds from the next request on. Every method throws ``RemoteError``.
public struct RemoteServer: Sendable {
  /// The address of the admin port, such as `http://127.0.0.1:8081`.
  public let admin: URL

  private let session: URLSession

  /// Creates a client of an admin port.
  ///
  /// - Parameters:
  ///   - admin: The address that `serve --admin-port` prints in its second line.
  ///   - seconds: The time after which a question that is not answered is given up.
  public init(admin: URL, timeout seconds: TimeInterval = 10) {
    self.admin = admin
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = seconds
    session = URLSession(configuration: configuration)
  }
}

// MARK: - Questions

extension RemoteServer {
  /// Returns when the server responds that it is there.
  public func health() async throws(RemoteError) -> RemoteHealth {
    try await read("GET", "health")
  }

  /// Returns the first request of a pattern behind the request of a number, and waits for it if it
  /// did not come yet.
  ///
  /// - Throws: ``RemoteError/missing(_:_:)`` if none comes in time, and as ``requests(_:since:)``.
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
      // A task that was cancelled does not wait, which is seen below.
      try? await Task.sleep(for: min(Self.pause, max(.zero, end - .now)))
    }
  }

  /// The time between two questions for a request that did not come yet.
  private static let pause = Duration.milliseconds(50)

  /// Returns the requests that arrived, oldest first, without secrets.
  ///
  /// - Parameters:
  ///   - pattern: The method and the path that are meant, such as `GET /users/*`, or a path alone;
  ///     `nil`: all.
  ///   - number: Only what came behind the request of this number.
  /// - Returns: The first 10,000 of them.
  /// - Throws: ``RemoteError`` where the server is not there or refuses the pattern.
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

  /// Whether a request came as often as is said.
  ///
  /// - Parameters:
  ///   - pattern: A method and a path, such as `POST /orders`.
  ///   - times: The number of times, such as `1...1` or `0...0`.
  ///   - number: Only what came behind the request of this number counts.
  /// - Returns: The verdict, with the requests that were seen.
  /// - Throws: ``RemoteError`` where the server is not there, refuses the pattern, or no longer
  ///   keeps requests that may be meant.
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

  /// Whether requests came in an order; others may have come between them.
  public func received(inOrder patterns: [String]) async throws(RemoteError) -> RemoteVerdict {
    try await read("POST", "verify", encode(OrderQuestion(inOrder: patterns)))
  }

  /// Returns the recordings of the cassette, with how often each was played.
  public func interactions() async throws(RemoteError) -> [RemoteInteraction] {
    let list: InteractionList = try await read("GET", "interactions")
    return list.interactions
  }

  /// Returns the stubs, in the order in which they were put.
  public func stubs() async throws(RemoteError) -> [RemoteStub.Summary] {
    let list: StubList = try await read("GET", "stubs")
    return list.stubs
  }
}

// MARK: - Changes

extension RemoteServer {
  /// Forgets requests and plays, and begins the cassette and the scenario anew; stubs stay.
  public func reset() async throws(RemoteError) { _ = try await ask("POST", "reset") }

  /// Plays a cassette from its beginning, without stubs.
  ///
  /// - Parameter file: A cassette of at most 64 MiB without side files.
  /// - Returns: The number of its interactions.
  /// - Throws: ``RemoteError`` where the file cannot be read, the server is not there, or it is no
  ///   cassette.
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

  /// Plays a cassette from its beginning, without stubs, and returns the number of its
  /// interactions.
  @discardableResult
  public func load(cassette: Data) async throws(RemoteError) -> Int {
    let count: InteractionCount = try await read("PUT", "cassette", cassette)
    return count.interactions
  }

  /// Flies a scenario that ships, such as `offline`, or one that the server was started with.
  public func play(_ scenario: String, seed: UInt64? = nil) async throws(RemoteError) {
    _ = try await ask("PUT", "scenario", encode(ScenarioName(name: scenario, seed: seed)))
  }

  /// Flies a whole scenario, as it stands in a file.
  public func play(scenario: Data) async throws(RemoteError) {
    _ = try await ask("PUT", "scenario", scenario)
  }

  /// Puts a response in front of the cassette, in place of one of the same name.
  public func put(_ stub: RemoteStub) async throws(RemoteError) {
    _ = try await ask("PUT", "stubs", part: stub.name, encode(stub))
  }

  /// Takes a stub away.
  public func removeStub(named name: String) async throws(RemoteError) {
    _ = try await ask("DELETE", "stubs", part: name)
  }

  /// Takes all stubs away.
  public func removeStubs() async throws(RemoteError) { _ = try await ask("DELETE", "stubs") }
}

// MARK: - The wire

extension RemoteServer {
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
    // A slash in a name is a part of the name.
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
      // An answer in another shape is none of the server's, and is quoted.
      let problem = try? JSONDecoder().decode(Problem.self, from: data)
      throw .refused(status, problem?.error ?? String(decoding: data.prefix(200), as: UTF8.self))
    }
    return data
  }
}

private struct Problem: Decodable { var error: String }
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
