import TestSupport
@_spi(WindTunnel) import WindTunnelCore

@testable import WindTunnel

/// A disk that a journal is written to by calls that can fail.
final class SmallDisk: Sendable {
  struct State {
    /// How many bytes all files together may have.
    var bytesMax = Int.max
    /// How many calls succeed; in the one behind them the process ends.
    var callsMax = Int.max
    /// How many bytes are written, before writing fails with a code.
    var failure: (bytes: Int, code: Int32)?
    /// Whether files can be cut while writing fails.
    var cutsWhileFailing = true
    var calls = 0
    var mostBytes = 0
  }

  let folder: TemporaryFolder
  let state = Locked(State())

  /// The cassette that is recorded.
  var file: URL { folder.file("a.json") }

  init() throws { folder = try TemporaryFolder() }

  /// How many bytes the files have.
  var used: Int {
    let all = FileManager.default.enumerator(at: folder.url, includingPropertiesForKeys: nil)
    return (all?.allObjects ?? []).reduce(0) { sum, url in
      let path = (url as? URL)?.path ?? ""
      let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
      return sum + (size ?? 0)
    }
  }

  /// Whether this call still happens.
  private func counts() -> Bool {
    state.withLock { state in
      state.calls += 1
      return state.calls <= state.callsMax
    }
  }

  /// How many of some bytes are taken; a code where none is.
  private func taken(_ count: Int, growth: Int) -> Result<Int, Code> {
    guard counts() else {
      // The process ends in the midst of it.
      let isNow = state.withLock { $0.calls == $0.callsMax + 1 }
      return isNow && count > 1 ? .success(count / 2) : .failure(Code(value: EIO))
    }
    let used = used
    return state.withLock { state in
      if let failure = state.failure {
        guard failure.bytes > 0 else { return .failure(Code(value: failure.code)) }
        state.failure?.bytes -= min(count, failure.bytes)
        return .success(min(count, failure.bytes))
      }
      guard growth > 0, used + growth > state.bytesMax else { return .success(count) }
      let room = count - (used + growth - state.bytesMax)
      return room > 0 ? .success(room) : .failure(Code(value: ENOSPC))
    }
  }

  private struct Code: Error { let value: Int32 }

  /// The calls that write here.
  var calls: FileCalls {
    let system = FileCalls()
    var calls = system
    calls.write = { [self] descriptor, bytes, offset in
      var status = stat()
      fstat(descriptor, &status)
      let growth = max(0, offset + bytes.count - Int(status.st_size))
      switch taken(bytes.count, growth: growth) {
      case .success(let count):
        return system.write(descriptor, UnsafeRawBufferPointer(rebasing: bytes[..<count]), offset)
      case .failure(let code):
        errno = code.value
        return -1
      }
    }
    calls.cut = { [self] descriptor, length in
      let code = state.withLock { state in
        state.cutsWhileFailing ? nil : state.failure.map(\.code)
      }
      guard counts(), code == nil else {
        errno = code ?? EIO
        return -1
      }
      return system.cut(descriptor, length)
    }
    calls.rename = { [self] in counts() ? system.rename($0, $1) : -1 }
    calls.remove = { [self] in counts() ? system.remove($0) : -1 }
    calls.replace = { [self] data, file throws(FileError) in
      guard counts() else { throw .refused(file, EIO) }
      guard used + data.count <= state.withLock({ $0.bytesMax }) else {
        throw .refused(file, ENOSPC)
      }
      try system.replace(data, file)
    }
    return calls
  }
}
