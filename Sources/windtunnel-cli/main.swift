internal import Foundation
internal import WindTunnelDrill

// A drill starts this executable again for each subject; only then is this word its first.
let words = Array(CommandLine.arguments.dropFirst())
await DrillProgram.shipped.flyIfAsked(words)
// And a self-test of faults for each look of a session at one.
if words.count == 2, words[0] == Tool.lookWord { await SessionLook.main(url: words[1]) }
let code = await Tool.run(words)
// What was printed must be out before the process ends in this short way.
fflush(nil)
exit(code.rawValue)
