internal import Symptoms
