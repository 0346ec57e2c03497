import os, sys, requests
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry
session = requests.Session()
session.trust_env = False
session.mount("http://", HTTPAdapter(max_retries=Retry(RETRY, status_forcelist=[429, 503])))
try:
    answer = session.request(os.environ["WINDTUNNEL_METHOD"], os.environ["WINDTUNNEL_URL"])
except requests.exceptions.RetryError:
    sys.exit(3)
if answer.status_code >= 400: sys.exit(1)
print(answer.text)
