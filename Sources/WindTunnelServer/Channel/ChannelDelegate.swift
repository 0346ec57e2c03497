/// The receiver of a channel's events.
///
/// Called on the loop's thread, and may do anything to the channel, closing it included.
protocol ChannelDelegate: AnyObject {
  /// A connect has come through.
  func channelConnected(_ channel: Channel)
  /// Bytes came. The memory is the loop's and valid only during the call.
  func channel(_ channel: Channel, received bytes: UnsafeRawBufferPointer)
  /// The peer sends no more (FIN); it may well go on reading.
  func channelReachedEnd(_ channel: Channel)
  /// Everything that was written is with the system: the answer to ``Channel/notifyWhenDrained()``.
  func channelDrained(_ channel: Channel)
  /// Plain text came where TLS was awaited: none is spoken any more, and what came is thrown away.
  func channelGotPlainText(_ channel: Channel)
  /// The descriptor is closed: told once, last, with the error that ended it or with none.
  func channelClosed(_ channel: Channel, _ error: SocketError?)
}

extension ChannelDelegate {
  func channelConnected(_ channel: Channel) {}
  func channelDrained(_ channel: Channel) {}
  func channelGotPlainText(_ channel: Channel) { channel.close() }
}
