-- Makes one call with LuaSocket at its defaults: client.lua URL
local http = require("socket.http")
local body, status = http.request(arg[1])
if body and status == 200 then
  io.write(body)
else
  io.stderr:write(tostring(status), "\n")
  os.exit(1)
end
