internal import Foundation
internal import WindTunnelHTTP

/// A search for the first of an origin's addresses that accepts a connection (RFC 8305, "Happy
/// Eyeballs").
///
/// Addresses are tried in the given order, with alternating families (§4). The next one is tried
/// when one has failed or has not connected within a quarter of a second (§5). Earlier attempts
/// continue, and the first connection wins. Forbidden addresses are skipped. On the loop's thread
/// only.
package final class OriginConnector: ChannelDelegate {
  /// One attempt to connect, with its timeout.
  private struct Attempt {
    var channel: Channel
    var limit: Reactor.Timer
  }

  /// The time before the next address is tried in parallel (RFC 8305 §8, "Connection Attempt
  /// Delay").
  private static let headStartNanoseconds: Int64 = 250_000_000

  private let destination: Destination
  private let reactor: Reactor
  private let seconds: Double
  private let completed: (Result<Channel, ExchangeFailure>) -> Void
  /// The addresses that have not been tried.
  private var addresses: ArraySlice<SocketAddress> = []
  /// The time at which the look-up ended; `nil` unless a name was looked up.
  private(set) var lookupEnd: Moment?
  private var attempts: [Attempt] = []
  private var headStart: Reactor.Timer?
  private var firstRefusal: AddressRefusal?
  private var failure: SocketError?
  /// The error of a connection that was accepted and then ended, while another address was tried.
  private var lost: SocketError?
  private var isOver = false

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - destination: The server.
  ///   - reactor: The loop of the connections.
  ///   - seconds: The timeout for one address, including the TLS handshake.
  ///   - completed: Called once, unless the search is cancelled before.
  package init(
    to destination: Destination,
    on reactor: Reactor,
    within seconds: Double,
    completed: @escaping (Result<Channel, ExchangeFailure>) -> Void
  ) {
    (self.destination, self.reactor) = (destination, reactor)
    (self.seconds, self.completed) = (seconds, completed)
  }

  /// Looks up the name unless the addresses are given, and tries the first one.
  package func begin() {
    let url = destination.url
    guard destination.addresses.isEmpty, let resolver = destination.resolver, let host = url.host
    else { return connect(to: destination.addresses) }
    resolver.resolve(host.withoutBrackets, port: url.effectivePort ?? 80) { [self] found in
      guard !isOver else { return }
      lookupEnd = .now()
      switch found {
      case .success(let addresses): connect(to: addresses)
      case .failure(let error): complete(.failure(.socket(error)))
      }
    }
  }

  private func connect(to addresses: [SocketAddress]) {
    self.addresses = Self.byTurns(addresses)[...]
    tryNext()
  }

  /// Ends the search without calling `completed`.
  package func cancel() { end(keeping: nil) }

  /// Returns the addresses with alternating families, beginning with the family of the first.
  ///
  /// If one family is unreachable, that costs only one delay instead of one for each of its
  /// addresses.
  static func byTurns(_ addresses: [SocketAddress]) -> [SocketAddress] {
    let family = addresses.first?.family
    let lines = [
      addresses.filter { $0.family == family }, addresses.filter { $0.family != family },
    ]
    return addresses.indices.flatMap { place in
      lines.compactMap { $0.dropFirst(place).first }
    }
  }

  private func tryNext() {
    stopHeadStart()
    while let address = addresses.popFirst() {
      if let refusal = destination.refusal(address) {
        firstRefusal = firstRefusal ?? refusal
        continue
      }
      do throws(SocketError) {
        let engine = try destination.engine()
        let channel = try Channel(connectingTo: address, on: reactor, tls: engine, delegate: self)
        attempts.append(Attempt(channel: channel, limit: limit(of: channel, to: address)))
        return giveHeadStart()
      } catch {
        note(error)
      }
    }
    guard attempts.isEmpty else { return }
    if lost == nil, let firstRefusal { return complete(.failure(.forbidden(firstRefusal))) }
    complete(.failure(.socket(lost ?? failure ?? SocketError(.resolve, EAI_NONAME))))
  }

  private func giveHeadStart() {
    if addresses.isEmpty { return }
    headStart = reactor.schedule(after: Self.headStartNanoseconds) { [weak self] _ in
      guard let self, !isOver else { return }
      headStart = nil
      tryNext()
    }
  }

  private func stopHeadStart() {
    if let headStart { reactor.cancel(headStart) }
    headStart = nil
  }

  private func limit(of channel: Channel, to address: SocketAddress) -> Reactor.Timer {
    reactor.schedule(after: Int64(nanosecondsOf: seconds)) { [weak self, weak channel] _ in
      guard let self, !isOver, let channel else { return }
      failed(channel, SocketError(.connect, ETIMEDOUT, address))
    }
  }

  /// Records that an address did not accept a connection, and tries the next one at once.
  private func failed(_ channel: Channel, _ error: SocketError) {
    remove(channel)
    note(error)
    tryNext()
  }

  private func remove(_ channel: Channel) {
    for attempt in attempts where attempt.channel === channel { drop(attempt) }
    attempts.removeAll { $0.channel === channel }
  }

  /// Handles a connection that was accepted but ended before it was ready. It ends the search,
  /// unless another address is still being tried.
  private func ended(_ channel: Channel, _ error: SocketError?) {
    let error = error ?? SocketError(.brokenOff, channel.target)
    guard attempts.count > 1 else { return complete(.failure(.socket(error))) }
    remove(channel)
    lost = lost ?? error
    tryNext()
  }

  /// Keeps the first error about the origin. An unreachable address family is less informative.
  private func note(_ error: SocketError) {
    if failure == nil || failure?.kind == .unreachable { failure = error }
  }

  private func complete(_ result: Result<Channel, ExchangeFailure>) {
    let channel: Channel? = if case .success(let channel) = result { channel } else { nil }
    end(keeping: channel)
    completed(result)
  }

  private func end(keeping kept: Channel?) {
    isOver = true
    stopHeadStart()
    for attempt in exchange(&attempts, with: []) { drop(attempt, keeping: kept) }
  }

  private func drop(_ attempt: Attempt, keeping kept: Channel? = nil) {
    reactor.cancel(attempt.limit)
    if attempt.channel === kept { return }
    attempt.channel.delegate = nil
    attempt.channel.abandon()
  }

  package func channelConnected(_ channel: Channel) { complete(.success(channel)) }

  // No bytes are expected before the connection is ready.
  package func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) {}

  package func channelReachedEnd(_ channel: Channel) { ended(channel, nil) }

  package func channelClosed(_ channel: Channel, _ error: SocketError?) {
    guard !isOver else { return }
    if let error, error.operation == .connect {
      failed(channel, error)
    } else {
      ended(channel, error)
    }
  }
}

extension TLSFailure {
  /// The server closed the connection within the handshake.
  fileprivate static let brokenOff = TLSFailure(
    kind: .brokenOff,
    text: "the connection ended within the TLS handshake",
    role: .client
  )
}
