internal import CWindTunnelVirtual

// A drill starts this executable again for each subject; only then is this word its first.
let words = Array(CommandLine.arguments.dropFirst())
// A program in virtual time is a child of a tracer, which has no other thread.
if words.first == "run-in-virtual-time" {
  exit(wt_virtual_main(CommandLine.argc - 2, CommandLine.unsafeArgv + 2))
}
await DrillProgram.shipped.flyIfAsked(words)
// And a self-test of faults for each look of a session at one.
if words.first == FaultsSelftestCommand.lookWord {
  await SessionProbe.main(Array(words.dropFirst()))
}

Terminal.open()
let code = Terminal.close(await Tool.run(words), as: "windtunnel")
// What was printed must be out before the process ends in this short way.
fflush(nil)
exit(code.rawValue)
