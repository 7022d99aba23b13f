// The view of motions in space for pages of recorded runs (carom report), which are no modules.
import {SpaceStage, isAble} from "./space.js";

Object.assign(window, {CaromStage: {SpaceStage, isAble}});
