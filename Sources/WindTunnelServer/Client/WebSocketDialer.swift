internal import Foundation
package import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
package import WindTunnelSymptoms

/// A dialler of WebSocket connections, as a client opens them (RFC 6455 §4.1): a name is looked up,
/// its addresses are tried one after the other, and a server by `https` has to prove its name.
///
/// Its connections share one thread, which ends with the last of them and this.
package final class WebSocketDialer: Sendable {
  /// The reason why a connection was not opened, or ended without a close frame.
  package struct Failure: Error, Sendable, Hashable {
    /// The symptom that any other client would have seen.
    package var symptom: Symptom
    /// The reason in a sentence.
    package var text: String

    init(_ symptom: Symptom, _ text: String) { (self.symptom, self.text) = (symptom, text) }

    init(_ error: SocketError) {
      let symptom = error.failure?.symptom ?? error.symptom
      self.init(symptom, "\(error)".sentence)
    }
  }

  /// The limits of what a server may send.
  package struct Limits: Sendable, Hashable {
    /// The most bytes of a message, when it is decompressed; more ends the connection with 1009.
    package var messageBytesMax = WebSocketReader.messageBytesMax
    /// The most bytes of an answer that refuses a handshake.
    package var refusalBytesMax = 1 << 20
    /// The time that each address has to take a connection.
    package var connectSeconds = 10.0
    /// The time that a server has to answer a close frame, and to end the connection behind it.
    package var closeSeconds = 2.0

    /// Makes the usual limits.
    package init() {}
  }

  let loop: EventLoop
  let limits: Limits
  private let resolver = Resolver()
  private let trust: Trust
  /// Made for the first server by `https`, on the dialler's thread.
  private let context = Locked<Result<TLSContext, ServerError>?>(nil)

  /// Makes a dialler with a thread of its own.
  ///
  /// - Parameters:
  ///   - trust: The authorities that are trusted about servers by `https`.
  ///   - limits: The limits of what a server may send.
  /// - Throws: ``Failure`` where the system has no thread or no queue of events left.
  package init(trusting trust: Trust = .system, _ limits: Limits = Limits()) throws(Failure) {
    do throws(SocketError) { loop = try EventLoop(name: "WindTunnel sockets") } catch {
      throw Failure(error)
    }
    (self.trust, self.limits) = (trust, limits)
  }

  /// Opens a connection; never blocks.
  ///
  /// - Parameters:
  ///   - request: A GET of a URL by `http`, `https`, `ws` or `wss`, with the fields of the app's.
  ///   - compresses: Tells whether it offers to compress messages.
  ///   - seconds: The time in which the handshake has to be done.
  ///   - hear: Is told what happens, in its order, on the dialler's thread.
  /// - Returns: The connection, which sends nothing before it is told to be open.
  package func open(
    _ request: Request,
    compresses: Bool,
    within seconds: Double,
    hearing hear: @escaping @Sendable (WebSocketLine.Event) -> Void
  ) -> WebSocketLine {
    let line = WebSocketLine(self, hear)
    let isPosted = loop.execute { [self] reactor in
      let names = LoopResolver(resolver) { [loop] in loop.execute($0) }
      line.begin(request, compresses: compresses, within: seconds, on: reactor, names)
    }
    if !isPosted { hear(.failed(Failure(.cancelled, "The loop has stopped."))) }
    return line
  }

  /// Returns what makes ends of TLS for a server; `nil` by `http`.
  func engine(for url: RequestURL) -> () throws(SocketError) -> TLSEngine? {
    { [self] () throws(SocketError) -> TLSEngine? in
      guard url.scheme == "https" else { return nil }
      func unusable(_ text: String) -> SocketError {
        SocketError(TLSFailure(kind: .unusable, text: text, role: .client), nil)
      }
      guard let host = url.host.flatMap({ HostName($0.withoutBrackets) }) else {
        throw unusable("\(url.host ?? "") is no name that a certificate can be made out to")
      }
      do throws(ServerError) { return try TLSEngine(try sharedContext(), host: host) } catch {
        throw unusable("\(error)")
      }
    }
  }
}

extension WebSocketDialer {
  private func sharedContext() throws(ServerError) -> TLSContext {
    try context.withLock { context in
      let made =
        context
        ?? Result { () throws(ServerError) in
          try TLSContext(trusting: trust, try OpenSSL.shared())
        }
      context = made
      return made
    }.get()
  }
}

extension String {
  /// The same as a sentence, with a capital letter and a full stop.
  fileprivate var sentence: String {
    prefix(1).uppercased() + dropFirst() + (hasSuffix(".") ? "" : ".")
  }
}
