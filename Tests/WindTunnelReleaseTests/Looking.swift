import WindTunnelRelease

/// All that a look through some bytes says, a line for each thing.
func look(_ bytes: [UInt8], limits: ReleaseCheck.Limits = .init()) -> [String] {
  var check = ReleaseCheck(limits: limits)
  check.look(at: Data(bytes), named: "it")
  return lines(of: check)
}

func lines(of check: ReleaseCheck) -> [String] {
  check.programs.map { program in
    "\(program.file) [\(program.modules.map(\.name).joined(separator: " "))]"
  }
    + check.findings.map { "found \($0.file) \($0.module?.name ?? "file"): \($0.reason)" }
    + check.unread.map { "unread \($0.file) \($0.reason)" }
    + check.passedOver.map { "passed over \($0.file) \($0.reason)" }
}
