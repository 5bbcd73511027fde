import { answerTasks } from "@elwood/sdk/documents/answer-tasks";
import { readPage } from "./read-page.ts";

answerTasks(readPage);
