/// An answer without an end, whose writer has the connection to itself.
///
/// On the loop's thread only.
protocol OutgoingStream: ChannelDelegate {
  /// Begins to write behind the head.
  func begin()
  /// Ends the stream, since the server stops.
  func end()
}
