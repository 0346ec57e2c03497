internal import CWindTunnelVirtual

// A drill starts this executable again for each client; only then this word is its first.
let words = Array(CommandLine.arguments.dropFirst())
// A program in virtual time is a child of a tracer, which has no other thread.
if words.first == "run-in-virtual-time" {
  exit(wt_virtual_main(CommandLine.argc - 2, CommandLine.unsafeArgv + 2))
}
await DrillProgram.shipped.flyIfAsked(words)
// A self-test of faults starts it for each observation by a session.
if words.first == FaultsSelftestCommand.lookWord {
  await SessionProbe.main(Array(words.dropFirst()))
}

Terminal.open()
let code = Terminal.close(await Tool.run(words), as: "windtunnel")
// All output must be flushed before the process exits.
fflush(nil)
exit(code.rawValue)
