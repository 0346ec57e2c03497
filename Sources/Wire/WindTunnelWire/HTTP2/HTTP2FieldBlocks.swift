/// Reads field blocks. Each consists of a HEADERS frame and its CONTINUATION frames (RFC 9113
/// §4.3).
struct HTTP2FieldBlocks {
  /// A complete field block.
  struct Block {
    let stream: Int
    let endsStream: Bool
    /// Whether the stream depends on itself in its priority (RFC 7540 §5.3.1).
    let dependsOnItself: Bool
    /// The fields; `nil` if they are too large.
    fileprivate(set) var fields: [HPACKField]?
  }

  private var decoder: HPACKDecoder
  /// The block whose frames are being received, and its bytes so far.
  private var begun: Block?
  private var bytes: [UInt8] = []
  private var continuations = 0
  private let continuationsMax: Int

  init(_ limits: Limits, _ bounds: HTTP2Limits) {
    decoder = HPACKDecoder(listBytesMax: limits.headerBytesMax, fieldsMax: limits.headerFieldsMax)
    continuationsMax = bounds.continuationsMax
  }

  /// Whether a block is incomplete, so that the next frame must be its CONTINUATION.
  var isReading: Bool { begun != nil }

  /// Returns the stream dependency of a priority, which RFC 9113 §5.3.2 deprecates.
  static func dependency(_ priority: Bytes) -> Int {
    priority.number(at: 0) & HTTP2Frame.numberMax
  }

  /// Reads a frame of a block. Returns the block if it is complete.
  mutating func read(_ frame: HTTP2Frame) throws(HTTP2Fault) -> Block? {
    if let begun { return try resume(begun, frame) }
    try frame.expectStream()
    guard !frame.stream.isMultiple(of: 2) else {
      throw .violation("A client opens odd streams (RFC 9113 §5.1.1).")
    }
    var fragment = try frame.withoutPadding()
    var dependsOnItself = false
    if frame.flags.contains(.priority) {
      try frame.expectSize(fragment.count >= 5)
      dependsOnItself = Self.dependency(fragment) == frame.stream
      fragment = fragment.part(5..<fragment.count)
    }
    let endsStream = frame.flags.contains(.endStream)
    let block = Block(
      stream: frame.stream,
      endsStream: endsStream,
      dependsOnItself: dependsOnItself
    )
    if frame.flags.contains(.endHeaders) { return try decode(block, fragment) }
    (begun, bytes, continuations) = (block, Array(fragment), 0)
    return nil
  }

  /// Reads a CONTINUATION frame. No other frame may interrupt a block, not even one of an unknown
  /// type.
  private mutating func resume(_ block: Block, _ frame: HTTP2Frame) throws(HTTP2Fault) -> Block? {
    guard frame.type == .continuation, frame.stream == block.stream else {
      throw .violation("A field block is interrupted by another frame.")
    }
    continuations += 1
    guard continuations <= continuationsMax else {
      throw .excess("A field block has too many CONTINUATION frames.")
    }
    bytes.append(contentsOf: frame.payload)
    guard frame.flags.contains(.endHeaders) else { return nil }
    let whole = bytes
    (begun, bytes) = (nil, [])
    return try whole.withUnsafeBufferPointer { bytes throws(HTTP2Fault) in
      try decode(block, bytes)
    }
  }

  /// Decodes a block, in any state of its stream, because all blocks share one dynamic table.
  private mutating func decode(_ block: Block, _ bytes: Bytes) throws(HTTP2Fault) -> Block {
    var block = block
    do throws(HPACKError) {
      block.fields = try decoder.decode(UnsafeRawBufferPointer(bytes))
    } catch {
      if case .compression(let sentence) = error { throw .connection(.compressionError, sentence) }
    }
    return block
  }
}
