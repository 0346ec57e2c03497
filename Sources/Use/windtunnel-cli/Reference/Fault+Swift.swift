extension Fault {
  /// The fault as it is written in Swift, such as `.status(503)`.
  var swift: String {
    switch self {
    case .delay(let spread): ".delay(\(spread.swift))"
    case .status(let status, nil): ".status(\(status))"
    case .status(let status, let retryAfter?): ".status(\(status), retryAfter: \(retryAfter.swift))"
    case .connection(let fault): ".connection(\(fault.swift))"
    case .mutate(let mutation): ".mutate(\(mutation.swift))"
    case .cut(let point, .stall(let length)):
      ".stall(\(point.swift)\(length.map { ", for: \($0.swift)" } ?? ""))"
    case .cut(let point, .reset): ".reset(\(point.swift))"
    case .cut(.body(let count), .close): ".truncate(afterBodyBytes: \(count))"
    case .cut(let point, .close): ".close(\(point.swift))"
    case .cut(let point, .halfClose): ".halfClose(\(point.swift))"
    case .dribble(let count, let interval): ".dribble(bytes: \(count), every: \(interval.swift))"
    case .throttle(let rate): ".throttle(bytesPerSecond: \(rate))"
    case .malformed(let malformation): ".malformed(.\(malformation.rawValue))"
    case .answer(let replacement): ".answer(.\(replacement.rawValue))"
    case .alter(let edit): ".alter(\(edit.swift))"
    case .idle(let end): ".idle(IdleEnd(\(end.swift)))"
    case .conversation(let fault): ".conversation(\(fault.swift))"
    }
  }
}

extension Duration {
  fileprivate var swift: String {
    let (seconds, rest) = components
    guard rest != 0 else { return ".seconds(\(seconds))" }
    return ".milliseconds(\(seconds * 1000 + rest / 1_000_000_000_000_000))"
  }
}

extension Fault.Spread {
  fileprivate var swift: String {
    least == most ? least.swift : "Fault.Spread(\(least.swift), through: \(most.swift))"
  }
}

extension Fault.Point {
  fileprivate var swift: String {
    switch self {
    case .afterRequest, .inStatusLine, .inHeaders: ".\(self)"
    case .body(let count): "afterBodyBytes: \(count)"
    case .inChunk(nil): ".inChunk"
    case .inChunk(let count?): ".inChunk(\(count))"
    case .byte(let count): "afterBytes: \(count)"
    case .event(let count): "afterEvents: \(count)"
    }
  }
}

extension RetryAfter {
  fileprivate var swift: String {
    switch self {
    case .seconds(let count): ".seconds(\(count))"
    case .date(let count): ".date(inSeconds: \(count))"
    case .pastDate, .huge, .garbage, .negative, .twoFields: ".\(self)"
    }
  }
}

extension ConnectionFault {
  fileprivate var swift: String {
    switch self {
    case .lostSYNs(let count): ".lostSYNs(\(count))"
    case .tls(.alert(let alert)): ".tls(.alert(.\(alert.rawValue)))"
    case .tls(let fault): ".tls(.\(fault.rawValue))"
    case .offline, .refused, .hostNotFound, .connectTimeout: ".\(name)"
    }
  }
}

extension Mutation {
  fileprivate var swift: String {
    switch self {
    case .field(let change, .at(let path)): ".\(change.rawValue)(at: \"\(path)\")"
    case .field(let change, .anywhere): ".\(change.rawValue)()"
    case .field(let change, .drawn(let draw)): ".field(.\(change.rawValue), .drawn(\(draw)))"
    case .cut(.after(let count)): ".truncate(afterBodyBytes: \(count))"
    case .cut(.anywhere): ".truncate()"
    case .cut(.drawn(let draw)): ".cut(.drawn(\(draw)))"
    case .status(let status): ".status(\(status.map(String.init) ?? "nil"))"
    case .emptyLists, .hollow: ".\(self)"
    }
  }
}

extension ResponseEdit {
  /// Its cases are all spelled as they print, types aside.
  fileprivate var swift: String { ".\(self)".replacing(/WindTunnel(\.\w+)+\./, with: ".") }
}

extension IdleEnd {
  fileprivate var swift: String {
    let ending = ending == .close ? ".close" : ".reset"
    return switch moment {
    case .idle(let length): "\(ending), .idle(\(length.swift))"
    case .nextRequest: "\(ending), .nextRequest"
    }
  }
}

extension ConversationFault {
  fileprivate var swift: String {
    switch self {
    case .handshake(let handshake): ".handshake(.\(handshake.rawValue))"
    case .end(.frame(let code), let number): ".end(.frame(\(code)), before: \(number))"
    case .end(let ending, let number): ".end(.\(ending), before: \(number))"
    case .form(let form, let number): ".form(.\(form.rawValue), of: \(number))"
    case .message(.late(let wait), let number): ".message(.late(\(wait.swift)), \(number))"
    case .message(let change, let number): ".message(.\(change), \(number))"
    case .control(.latePong(let wait)): ".control(.latePong(\(wait.swift)))"
    case .control(let control): ".control(.\(control))"
    }
  }
}
