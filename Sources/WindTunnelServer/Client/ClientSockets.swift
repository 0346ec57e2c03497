internal import WindTunnel
@_spi(WindTunnel) internal import WindTunnelCore
package import WindTunnelSymptoms

/// The reason why a client's connection was not opened, or ended before its time.
package struct DialFailure: Error, Sendable, Hashable {
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

/// The parts that the connections of one client share: a thread, a look-up of names, and whom to
/// trust. The thread ends with the last of them and this.
final class ClientSockets: Sendable {
  let loop: EventLoop
  private let resolver = Resolver()
  private let trust: Trust
  /// Made for the first server by `https`, on the loop's thread.
  private let context = Locked<Result<TLSContext, ServerError>?>(nil)

  /// Makes them with a thread of their own.
  ///
  /// - Parameter trust: The authorities that are trusted about servers by `https`.
  /// - Throws: ``DialFailure`` where the system has no thread or no queue of events left.
  init(trusting trust: Trust) throws(DialFailure) {
    do throws(SocketError) { loop = try EventLoop(name: "WindTunnel sockets") } catch {
      throw DialFailure(error)
    }
    self.trust = trust
  }

  /// Returns a look-up that answers on the loop.
  func names() -> LoopResolver { LoopResolver(resolver) { [loop] in loop.execute($0) } }

  /// Returns a function that makes ends of TLS for a server; by `http` it makes none.
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
