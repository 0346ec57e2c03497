internal import Foundation
internal import WindTunnel
internal import WindTunnelSymptoms

// From the name to the open tunnel, and what the origin says on the way.
extension Tunnel {
  func connect() {
    phase = .connecting
    guard let lookups = context.proxy?.lookups else {
      return failed(.hostNotFound, "no name is looked up here")
    }
    lookups.resolve(host.withoutBrackets, port: port) { [weak self] answer in
      guard let self, isConnecting else { return }
      switch answer {
      case .success(let found):
        addresses = found
        connectNext(after: nil)
      case .failure(let error): failed(error)
      }
    }
  }

  fileprivate func connectNext(after error: SocketError?) {
    while !addresses.isEmpty {
      let address = addresses.removeFirst()
      if let refusal = context.proxy?.refusal(of: address, for: client?.socket.peerAddress) {
        self.refusal = self.refusal ?? refusal
        continue
      }
      return connect(to: address)
    }
    if let refusal { return forbidden(refusal) }
    guard let error else { return failed(.hostNotFound, "it has no address") }
    failed(error)
  }

  private func connect(to address: SocketAddress) {
    do throws(SocketError) {
      let channel = try Channel(connectingTo: address, on: reactor, delegate: self)
      upstream = channel
      let seconds = context.options.limits.connectSeconds
      connectTimer = reactor.schedule(after: Int64(nanosecondsOf: seconds)) { [weak self] _ in
        self?.connectTimer = nil
        guard let self, isConnecting, upstream === channel else { return }
        upstream = nil
        channel.delegate = nil
        channel.abandon()
        connectNext(after: SocketError(.connect, ETIMEDOUT, address))
      }
    } catch {
      connectNext(after: error)
    }
  }

  private func failed(_ error: SocketError) {
    guard error.isOwn else { return failed(error.symptom, "\(error)") }
    context.deck.couldNotAsk(decision, "\(error)")
    if !isAnswered { client?.writeNotice(503, "\(authority) was not asked: \(error).") }
    end(.failed(error.symptom)) { $0.close() }
  }

  private func failed(_ symptom: Symptom, _ text: String) {
    context.deck.keep(Failure(symptom, text: text), for: decision, to: authority)
    if !isAnswered { client?.writeNotice(502, "\(authority) failed: \(text).") }
    end(.failed(symptom)) { $0.close() }
  }

  /// The proxy does not connect its client to any address of the host. That says nothing about the
  /// host, so nothing is kept.
  private func forbidden(_ refusal: AddressRefusal) {
    if !isAnswered { client?.writeNotice(403, "\(refusal)") }
    end(.refused(403)) { $0.close() }
  }

  fileprivate func opened() {
    stopConnectTimer()
    connected = now
    lastPassed = .now()
    phase = .passing
    if !isAnswered { answer(Delivery.established) }
    // What the client sent in advance, and what the player said meanwhile.
    let early = up.pending.count
    if player.isMetering {
      if early > 0 { queue += player.next(.came(.up, early), at: now) }
    } else {
      pass(early, .up)
    }
    if client?.inputEnded == true { reachedEnd(.up) }
    updateReading()
    advance(.tick)
  }

  func stopConnectTimer() {
    if let connectTimer { reactor.cancel(connectTimer) }
    connectTimer = nil
  }
}

extension Tunnel: ChannelDelegate {
  func channelConnected(_ channel: Channel) { if channel === upstream { opened() } }

  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer) { came(bytes, .down) }

  func channelReachedEnd(_ channel: Channel) { reachedEnd(.down) }

  func channelDrained(_ channel: Channel) { set(.up) { $0.isBlocked = false } }

  func channelClosed(_ channel: Channel, _ error: SocketError?) {
    if isConnecting {
      stopConnectTimer()
      upstream = nil
      return connectNext(after: error)
    }
    upstreamClosed(error)
  }
}
