import Origins
import TestSupport
import WindTunnel
import WindTunnelServer
import WindTunnelURLSession

/// Records by either of the two recorders: a session, or a proxy in front of the origin.
enum Recorder {
  /// What a client saw of each path while it was recorded: bodies as the stage hands them out, on
  /// the wire still in their content coding.
  @discardableResult
  static func record(
    _ deck: Deck,
    from origin: String,
    on stage: Stage,
    _ paths: [String]
  ) async throws -> [Data] {
    var bodies: [Data] = []
    switch stage {
    case .inProcess:
      let session = URLSession(configuration: .windTunnel(deck))
      for path in paths { bodies.append(try await session.whole(origin + path)) }
      session.finishTasksAndInvalidate()
    case .onTheWire:
      var options = ReplayServer.Options.patient
      options.upstream = try Upstream(RequestURL(origin))
      let server = try await ReplayServer(deck, options)
      for path in paths {
        bodies.append(try await RawExchange(port: server.port).get(path).content)
      }
      await server.stop(grace: .zero)
    }
    return bodies
  }
}

extension URLSession {
  /// A whole body, by a completion handler; nothing where there was an error.
  func whole(_ url: String) async throws -> Data {
    let url = try #require(URL(string: url))
    return try #require(await result(of: URLRequest(url: url)).data)
  }
}

extension Theatre {
  /// Asks with a delegate and tells in which pieces the body came.
  func pieces(_ request: URLRequest) async -> (pieces: [String], error: (any Error)?) {
    await withCheckedContinuation { continuation in
      let listener = Listener { continuation.resume(returning: ($0, $1)) }
      let session = URLSession(configuration: configuration, delegate: listener, delegateQueue: nil)
      session.dataTask(with: request).resume()
      session.finishTasksAndInvalidate()
    }
  }
}

/// Its callbacks come one after the other.
private final class Listener: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private let done: ([String], (any Error)?) -> Void
  private var pieces: [String] = []

  init(_ done: @escaping ([String], (any Error)?) -> Void) { self.done = done }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    pieces.append(String(decoding: data, as: UTF8.self))
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?
  ) {
    done(pieces, error)
  }
}
