internal import Foundation
internal import WindTunnelDrill

// A drill starts this executable again for each subject; only then is this word its first.
if CommandLine.arguments.dropFirst().first == Tool.subjectWord { await ProcessDrill.runAsSubject() }
let code = await Tool.run(Array(CommandLine.arguments.dropFirst()))
// What was printed must be out before the process ends in this short way.
fflush(nil)
exit(code.rawValue)
